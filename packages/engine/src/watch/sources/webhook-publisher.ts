import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { isMark, type Mark, markKeyId, markOf } from "@fleet-reloader/domain/source/mark";
import {
  type SourceContent,
  type SourceKind,
  type SourceRef,
  sourceKey,
} from "@fleet-reloader/domain/source/source";
import type { ClusterApi, LiveSource } from "../../ports/cluster-api.ts";
import type { Checkpoints, SourceChange, SourceVersion } from "../../ports/reference-index.ts";
import type { SourcePublisher } from "./source-publisher.ts";

/** The last published state of a source: its version and the mark of its whole content. The mark is keyed, so it reveals nothing (I4). */
export interface PublishedSource extends SourceVersion {
  readonly mark: string;
}

/** Remembers published sources, for all processes. It is lost together with the index. */
export interface PublishedSources {
  find(sources: readonly SourceRef[]): Promise<readonly (PublishedSource | undefined)[]>;
  remember(published: readonly PublishedSource[]): Promise<void>;
  /** All remembered sources of a kind. */
  remembered(kind: SourceKind, namespace: string | undefined): Promise<readonly SourceRef[]>;
  forget(sources: readonly SourceRef[]): Promise<void>;
}

export interface WebhookPublisherOptions {
  readonly published: PublishedSources;
  readonly checkpoints: Pick<Checkpoints, "forget">;
  readonly api: Pick<ClusterApi, "readSource">;
  readonly keys: Keyring;
  /** Whether the creation, or the deletion, of a source is published too. */
  readonly onCreate: boolean;
  readonly onDelete: boolean;
  /** When we first engaged the cluster. A source without a mark is new only if it was created later. */
  readonly engagedAtSeconds: number;
  /** Calls the webhook later. Resolves to whether the webhook answered; to false when the call is given up. */
  readonly notify: (source: SourceRef) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Sources that are read at the same time; the first list asks for all of them. */
const readsMax = 16;

/** A call under way. `now` is remembered when the call is answered; undefined: the source is gone, so nothing is remembered. */
interface UnansweredCall {
  now: PublishedSource | undefined;
}

/** A source as it is now (undefined if unknown), and whether its content is news. */
interface ComparedSource {
  readonly now: PublishedSource | undefined;
  readonly isNews: boolean;
}

type Readable = LiveSource & { readonly content: SourceContent };

/**
 * Publishes changed sources to a webhook; nothing is rolled (the peer's `--webhook-url`). Every source counts, whether a workload uses it
 * or not. A source whose version differs is read, and published if its content differs from the last published content. A write of
 * metadata, a restart or a list publishes nothing. A source that is seen for the first time is only remembered. A published source is
 * remembered once the webhook has answered: until then the next process, or the next list after the call is given up, publishes it again.
 */
export class WebhookPublisher implements SourcePublisher {
  readonly #options: WebhookPublisherOptions;
  /** The last unanswered call for each source. */
  readonly #calls = new Map<string, UnansweredCall>();

  constructor(options: WebhookPublisherOptions) {
    this.#options = options;
  }

  /** Returns no change, because no workload waits for one. */
  async publish(sources: readonly SourceVersion[]): Promise<readonly SourceChange[]> {
    const { published } = this.#options;
    const before = await published.find(sources.map(({ ref }) => ref));
    const moved = sources.flatMap((source, at) => {
      const call = this.#calls.get(sourceKey(source.ref));
      const last = call === undefined ? before[at] : call.now;
      return last?.resourceVersion === source.resourceVersion ? [] : [{ source, last }];
    });
    for (let at = 0; at < moved.length; at += readsMax) {
      const page = moved.slice(at, at + readsMax);
      const compared = await Promise.all(page.map(({ source, last }) => this.#compare(source, last)));
      await published.remember(compared.flatMap((one) => this.#silent(one)));
    }
    return [];
  }

  /** Includes sources whose deletion is not published: they have to be forgotten. */
  async remembered(kind: SourceKind, namespace: string | undefined): Promise<readonly SourceRef[]> {
    return await this.#options.published.remembered(kind, namespace);
  }

  async publishDeleted(sources: readonly SourceRef[]): Promise<void> {
    const { published, checkpoints, onDelete } = this.#options;
    const known = onDelete ? await published.find(sources) : [];
    const silent: SourceRef[] = [];
    for (const [at, source] of sources.entries()) {
      const call = this.#calls.get(sourceKey(source));
      const last = call === undefined ? known[at] : call.now;
      if (onDelete && last !== undefined) this.#call(source, undefined);
      else if (!onDelete || call === undefined) silent.push(source);
    }
    for (const source of silent) this.#calls.delete(sourceKey(source));
    await published.forget(silent);
    await checkpoints.forget(sources);
  }

  /** Calls the webhook for news. Otherwise returns what to remember, unless the call under way is for this content. */
  #silent({ now, isNews }: ComparedSource): readonly PublishedSource[] {
    if (now === undefined) return [];
    const key = sourceKey(now.ref);
    const call = this.#calls.get(key);
    if (isNews) this.#call(now.ref, now);
    else if (call?.now === undefined) {
      // The call under way is for its deletion, and must not forget this new content.
      this.#calls.delete(key);
      return [now];
    } else call.now = now;
    return [];
  }

  #call(source: SourceRef, now: PublishedSource | undefined): void {
    const call: UnansweredCall = { now };
    this.#calls.set(sourceKey(source), call);
    // A source that could not be remembered is published again.
    void this.#answered(source, call).catch(() => undefined);
  }

  async #answered(source: SourceRef, call: UnansweredCall): Promise<void> {
    const { published, notify } = this.#options;
    const isLast = () => this.#calls.get(sourceKey(source)) === call;
    try {
      if (!(await notify(source)) || !isLast()) return;
      if (call.now === undefined) await published.forget([source]);
      else await published.remember([call.now]);
    } finally {
      if (isLast()) this.#calls.delete(sourceKey(source));
    }
  }

  async #compare(source: SourceVersion, last: PublishedSource | undefined): Promise<ComparedSource> {
    const { api, keys, signal } = this.#options;
    const { ref } = source;
    const live = await api.readSource(ref, signal);
    // It was deleted meanwhile and its deletion event follows, or its content cannot be read now.
    if (live?.content === undefined) return { isNews: false, now: undefined };
    const readable = { ...live, content: live.content };
    const mark = markOf(ref, readable.content, "all", keys.current);
    return { isNews: this.#isNews(last, readable, mark), now: { ...source, mark } };
  }

  #isNews(last: PublishedSource | undefined, live: Readable, mark: Mark): boolean {
    const { keys, onCreate, engagedAtSeconds } = this.#options;
    if (last === undefined) return onCreate && live.createdAtSeconds > engagedAtSeconds;
    if (last.mark === mark || !isMark(last.mark)) return false;
    const key = keys.find(markKeyId(last.mark));
    // Without the key of the last mark the contents cannot be compared.
    return key !== undefined && markOf(live.ref, live.content, "all", key) !== last.mark;
  }
}
