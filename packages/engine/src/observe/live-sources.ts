import { frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { Clock } from "../async/clock.ts";
import { mapBounded } from "../async/map-bounded.ts";
import { RecentMap } from "../async/recent-map.ts";
import { SingleFlight } from "../async/single-flight.ts";
import type { ClusterApi, LiveSource } from "../ports/cluster-api.ts";

/** Concurrent reads for one workload: half of the connections to its cluster, so that other requests go on. */
const readsAtOnce = 8;
/** From this many sources of a kind in a namespace, one list costs less than the reads, even if most of the list is not needed. */
const listedFrom = 64;

/** The number of sources whose last read is remembered. */
const readsRememberedMax = 2000;

/**
 * In a fan-out each read of a source serves sixteen workloads: half of those that are handled at the same time, so that the others go on.
 * A workload that shares its reads with no other waits for the time of one more read.
 */
const spacing = { times: 2, mostMs: 100, enough: 16 } as const;

/** Reads sources. Concurrent requests for one source share a read, which never begins before the request. */
export class LiveSources {
  readonly #lifetime: AbortSignal;
  readonly #reads: SingleFlight<LiveSource | undefined>;
  readonly #names = new SingleFlight<readonly string[]>();
  readonly #clock: Clock;
  readonly #unfrozenAtMs = new RecentMap<string, number>(readsRememberedMax);

  /** Reads are shared, so they end with the process and not with one of the callers. */
  constructor(lifetime: AbortSignal, clock: Clock) {
    this.#lifetime = lifetime;
    this.#clock = clock;
    this.#reads = new SingleFlight({
      clock,
      times: spacing.times,
      mostMs: spacing.mostMs,
      enough: spacing.enough,
    });
  }

  /** `untilMs`, monotonic: how long the read may wait for other callers. Without it the read waits for none. */
  read(api: ClusterApi, ref: SourceRef, untilMs?: number): Promise<LiveSource | undefined> {
    const key = sourceKeyIn(api, ref);
    return this.#reads.read(key, () => this.#load(api, ref, key), untilMs);
  }

  /** Monotonic: when the last read of the source began. Undefined: an annotation froze it, or the read is long ago. */
  unfrozenAtMs(api: Pick<ClusterApi, "cluster">, ref: SourceRef): number | undefined {
    return this.#unfrozenAtMs.get(sourceKeyIn(api, ref));
  }

  /** Names of all sources of a kind in a namespace. */
  names(api: ClusterApi, kind: SourceKind, namespace: string): Promise<readonly string[]> {
    const key = `${api.cluster}/${kind}/${namespace}`;
    return this.#names.read(key, () => api.listSourceNames(kind, namespace, this.#lifetime));
  }

  /** The existing sources among these, by key. Reads some at a time. Many of a kind that may be listed are read in one list. */
  async readAll(
    api: ClusterApi,
    refs: readonly SourceRef[],
    mayList: (kind: SourceKind) => boolean,
    untilMs?: number,
  ): Promise<ReadonlyMap<string, LiveSource>> {
    const found = new Map<string, LiveSource>();
    const single: SourceRef[] = [];
    const groups = Map.groupBy(refs, ({ kind, namespace }) => `${kind}/${namespace}`);
    for (const its of groups.values()) {
      const [first] = its;
      if (first === undefined || its.length < listedFrom || !mayList(first.kind)) single.push(...its);
      else for (const live of await this.#list(api, first, its)) found.set(sourceKey(live.ref), live);
    }
    await mapBounded(single, readsAtOnce, async (ref) => {
      const live = await this.read(api, ref, untilMs);
      if (live !== undefined) found.set(sourceKey(ref), live);
    });
    return found;
  }

  async #load(api: ClusterApi, ref: SourceRef, key: string): Promise<LiveSource | undefined> {
    const atMs = this.#clock.monotonic();
    const live = await api.readSource(ref, this.#lifetime);
    if (frozenByAnnotation(live?.annotations ?? {}) === undefined) this.#unfrozenAtMs.set(key, atMs);
    else this.#unfrozenAtMs.delete(key);
    return live;
  }

  async #list(
    api: ClusterApi,
    { kind, namespace }: SourceRef,
    refs: readonly SourceRef[],
  ): Promise<Iterable<LiveSource>> {
    const names = new Set(refs.map(({ name }) => name));
    return (await api.readSources(kind, namespace, names, this.#lifetime)).values();
  }
}

function sourceKeyIn({ cluster }: Pick<ClusterApi, "cluster">, ref: SourceRef): string {
  return `${cluster}/${sourceKey(ref)}`;
}
