import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { isMark, type Mark, markKeyId, markOf } from "@fleet-reloader/domain/source/mark";
import type { SourceContent, SourceRef } from "@fleet-reloader/domain/source/source";
import type { ClusterApi, LiveSource } from "../ports/cluster-api.ts";
import {
  type Checkpoints,
  goneVersion,
  type IndexSession,
  type ReferenceIndex,
  type SourceVersion,
} from "../ports/reference-index.ts";

/** What was last told of a source: its version, and the mark of its whole content. Keyed, so it says nothing (I4). */
export interface PublishedSource extends SourceVersion {
  readonly mark: string;
}

/** Remembers what was told, where all processes see it. Lost together with the index. */
export interface PublishedSources {
  find(sources: readonly SourceRef[]): Promise<readonly (PublishedSource | undefined)[]>;
  remember(told: readonly PublishedSource[]): Promise<void>;
  forget(sources: readonly SourceRef[]): Promise<void>;
}

/** All that the watch of a cluster keeps. */
export interface WatchedIndex extends ReferenceIndex, Checkpoints, IndexSession {}

export interface PublishingIndexOptions {
  readonly index: WatchedIndex;
  readonly told: PublishedSources;
  readonly api: ClusterApi;
  readonly keys: Keyring;
  /** Whether a source that is made, or removed, is told, too. */
  readonly onCreate: boolean;
  readonly onDelete: boolean;
  /** Returns at once. */
  readonly tell: (source: SourceRef) => void;
  readonly signal: AbortSignal;
}

/** Sources read at once: the first list asks for all there are. */
const readsMax = 16;

/**
 * The index of the mode in which nothing is rolled and every change of a source is told instead (the peer's
 * `--webhook-url`). Every source counts, whoever uses it, and none has a dependent. One whose version moved is read; it is told
 * when its content is another than the one remembered, so that writes of metadata, restarts and lists tell nothing. What
 * was never seen is remembered and not told.
 */
export function publishingIndex(options: PublishingIndexOptions): WatchedIndex {
  const { index, told, api, keys, tell, signal } = options;
  let engagedAtSeconds = 0;

  return {
    async open() {
      const opened = await index.open();
      engagedAtSeconds = opened.engagedAtSeconds;
      return opened;
    },
    served: (stream) => index.served(stream),
    serve: (stream, record) => index.serve(stream, record),
    // Nobody looks at workloads in this mode.
    unreconciled: async () => 0,
    verify: () => index.verify(),
    put: (entries) => index.put(entries),
    markPublished: (workloads) => index.markPublished(workloads),
    remove: (workloads) => index.remove(workloads),
    retain: (kind, namespace, known) => index.retain(kind, namespace, known),
    async findChanged(sources) {
      // What is gone is told when it is forgotten.
      const there = sources.filter(({ resourceVersion }) => resourceVersion !== goneVersion);
      const before = await told.find(there.map(({ ref }) => ref));
      const moved = there.flatMap((source, at) => {
        const known = before[at];
        return known?.resourceVersion === source.resourceVersion ? [] : [{ source, known }];
      });
      for (let at = 0; at < moved.length; at += readsMax) {
        const some = moved.slice(at, at + readsMax);
        const compared = await Promise.all(some.map(({ source, known }) => compare(source, known)));
        // Told first: an end in between means the same again, never nothing.
        for (const { ref, isNews } of compared) if (isNews) tell(ref);
        await told.remember(compared.flatMap((one) => one.now ?? []));
      }
      return [];
    },
    expect: (sources) => index.expect(sources),
    handledSources: (kind, namespace) => index.handledSources(kind, namespace),
    async markHandled() {
      // What is remembered is remembered in `findChanged`.
    },
    async forget(sources) {
      if (options.onDelete) {
        const known = await told.find(sources);
        for (const [at, source] of sources.entries()) if (known[at] !== undefined) tell(source);
      }
      await told.forget(sources);
      await index.forget(sources);
    },
  };

  async function compare(source: SourceVersion, known: PublishedSource | undefined) {
    const { ref } = source;
    const live = await api.readSource(ref, signal);
    // Removed meanwhile: its deletion is on its way. Or nothing shows what it contains now.
    if (live?.content === undefined) return { ref, isNews: false, now: undefined };
    const mark = markOf(ref, live.content, "all", keys.current);
    return { ref, isNews: isNews(known, { ...live, content: live.content }, mark), now: { ...source, mark } };
  }

  function isNews(
    known: PublishedSource | undefined,
    live: LiveSource & { readonly content: SourceContent },
    mark: Mark,
  ): boolean {
    if (known === undefined) return options.onCreate && live.createdAtSeconds > engagedAtSeconds;
    if (known.mark === mark || !isMark(known.mark)) return false;
    const keyed = keys.find(markKeyId(known.mark));
    // Made with a key that we do not hold: nothing can be said.
    return keyed !== undefined && markOf(live.ref, live.content, "all", keyed) !== known.mark;
  }
}
