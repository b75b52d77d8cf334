import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { SingleFlight } from "../async/single-flight.ts";
import type { ClusterApi, LiveSource } from "../ports/cluster-api.ts";

/** A workload's reads under way: half of the connections to its cluster, so that others of it go on. */
const readsAtOnce = 8;
/** From so many sources of a kind in a namespace on one list costs less than the reads, also where most of what it shows is not needed. */
const listedFrom = 64;

/** Where sources are read from: what is asked for by several at the same time is read once, and never earlier than it was asked for. */
export class LiveSources {
  readonly #lifetime: AbortSignal;
  readonly #reads = new SingleFlight<LiveSource | undefined>();
  readonly #names = new SingleFlight<readonly string[]>();

  /** Reads are shared, so they end with the process and not with one who asked. */
  constructor(lifetime: AbortSignal) {
    this.#lifetime = lifetime;
  }

  read(api: ClusterApi, ref: SourceRef): Promise<LiveSource | undefined> {
    return this.#reads.read(`${api.cluster}/${sourceKey(ref)}`, () => api.readSource(ref, this.#lifetime));
  }

  /** Names of all sources of a kind in a namespace. */
  names(api: ClusterApi, kind: SourceKind, namespace: string): Promise<readonly string[]> {
    const key = `${api.cluster}/${kind}/${namespace}`;
    return this.#names.read(key, () => api.listSourceNames(kind, namespace, this.#lifetime));
  }

  /** What there is of these, by key: some at a time. Of kinds that may be listed, many are one list. */
  async readAll(
    api: ClusterApi,
    refs: readonly SourceRef[],
    mayList: (kind: SourceKind) => boolean,
  ): Promise<ReadonlyMap<string, LiveSource>> {
    const found = new Map<string, LiveSource>();
    const single: SourceRef[] = [];
    const groups = Map.groupBy(refs, ({ kind, namespace }) => `${kind}/${namespace}`);
    for (const its of groups.values()) {
      const [first] = its;
      if (first === undefined || its.length < listedFrom || !mayList(first.kind)) single.push(...its);
      else for (const live of await this.#list(api, first, its)) found.set(sourceKey(live.ref), live);
    }
    const left = single.values();
    const readNext = async (): Promise<void> => {
      for (const ref of left) {
        const live = await this.read(api, ref);
        if (live !== undefined) found.set(sourceKey(ref), live);
      }
    };
    await Promise.all(Array.from({ length: readsAtOnce }, readNext));
    return found;
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
