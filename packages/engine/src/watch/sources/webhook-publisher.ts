import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { isMark, type Mark, markKeyId, markOf } from "@fleet-reloader/domain/source/mark";
import type { SourceContent, SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import type { ClusterApi, LiveSource } from "../../ports/cluster-api.ts";
import type { Checkpoints, SourceChange, SourceVersion } from "../../ports/reference-index.ts";
import type { SourcePublisher } from "./source-publisher.ts";

/** The last published state of a source: its version, and the mark of its whole content. The mark is keyed, so it reveals nothing (I4). */
export interface PublishedSource extends SourceVersion {
  readonly mark: string;
}

/** Remembers what was published, for all processes. It is lost together with the index. */
export interface PublishedSources {
  find(sources: readonly SourceRef[]): Promise<readonly (PublishedSource | undefined)[]>;
  remember(published: readonly PublishedSource[]): Promise<void>;
  /** All of a kind that are remembered. */
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
  /** When we were first engaged with the cluster; a source without a mark is new only if it was created later. */
  readonly engagedAtSeconds: number;
  /** Calls the webhook later; returns at once. */
  readonly notify: (source: SourceRef) => void;
  readonly signal: AbortSignal;
}

/** Sources that are read at the same time; the first list asks for all of them. */
const readsMax = 16;

type Readable = LiveSource & { readonly content: SourceContent };

/**
 * Publishes changed sources to a webhook; nothing is rolled (the peer's `--webhook-url`). Every source counts, whether a
 * workload uses it or not. A source whose version differs is read; it is published when its content differs from the
 * content that was published last. A write of metadata, a restart or a list publishes nothing. A source that is seen for
 * the first time is only remembered.
 */
export class WebhookPublisher implements SourcePublisher {
  readonly #options: WebhookPublisherOptions;

  constructor(options: WebhookPublisherOptions) {
    this.#options = options;
  }

  /** Returns no change: no workload waits for any. */
  async publish(sources: readonly SourceVersion[]): Promise<readonly SourceChange[]> {
    const { published, notify } = this.#options;
    const before = await published.find(sources.map(({ ref }) => ref));
    const moved = sources.flatMap((source, at) => {
      const last = before[at];
      return last?.resourceVersion === source.resourceVersion ? [] : [{ source, last }];
    });
    for (let at = 0; at < moved.length; at += readsMax) {
      const page = moved.slice(at, at + readsMax);
      const compared = await Promise.all(page.map(({ source, last }) => this.#compare(source, last)));
      // Notified before it is remembered: a crash in between notifies twice, never not at all.
      for (const { ref, isNews } of compared) if (isNews) notify(ref);
      await published.remember(compared.flatMap(({ now }) => now ?? []));
    }
    return [];
  }

  /** Also where deletions are not published: what is gone is forgotten. */
  async remembered(kind: SourceKind, namespace: string | undefined): Promise<readonly SourceRef[]> {
    return await this.#options.published.remembered(kind, namespace);
  }

  async publishDeleted(sources: readonly SourceRef[]): Promise<void> {
    const { published, checkpoints, notify, onDelete } = this.#options;
    if (onDelete) {
      const known = await published.find(sources);
      for (const [at, source] of sources.entries()) if (known[at] !== undefined) notify(source);
    }
    await published.forget(sources);
    await checkpoints.forget(sources);
  }

  async #compare(source: SourceVersion, last: PublishedSource | undefined) {
    const { api, keys, signal } = this.#options;
    const { ref } = source;
    const live = await api.readSource(ref, signal);
    // It was deleted meanwhile and its deletion event follows; or its content cannot be read now.
    if (live?.content === undefined) return { ref, isNews: false, now: undefined };
    const readable = { ...live, content: live.content };
    const mark = markOf(ref, readable.content, "all", keys.current);
    return { ref, isNews: this.#isNews(last, readable, mark), now: { ...source, mark } };
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
