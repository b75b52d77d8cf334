import { frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { Annotations } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "../async/clock.ts";
import { RecentMap } from "../async/recent-map.ts";
import { SingleFlight } from "../async/single-flight.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { Admit, ClusterApi } from "../ports/cluster-api.ts";

/** The sources whose change is about to be rolled. */
export interface ReadSources {
  readonly api: Pick<ClusterApi, "cluster" | "readSourceAnnotations">;
  readonly sources: readonly SourceRef[];
  /** Monotonic: they were read at this time or later. */
  readonly readAtMs: number;
  readonly signal: AbortSignal;
}

type UnfrozenAt = (api: Pick<ClusterApi, "cluster">, ref: SourceRef) => number | undefined;

interface AnnotationsAt {
  /** Monotonic: when their read began. */
  readonly atMs: number;
  readonly annotations: Annotations;
}

/** The number of sources whose last read is remembered. Others are read again. */
const rememberedSources = 2000;

/** A source whose read is older than this is read again. A read over a slow line takes as long by itself. */
const freshMs = 100;

/**
 * Holds a write while an annotation freezes one of the changed sources. Requests that ask for the same source at the same time share one
 * read, which is aborted with the lifetime.
 */
export function createSourceFreezes({
  clock,
  lastRead,
  lifetime,
}: {
  readonly clock: Clock;
  /** When the last read of the whole source began, if nothing froze it. */
  readonly lastRead: UnfrozenAt;
  readonly lifetime: AbortSignal;
}): (read: ReadSources) => Admit {
  const shared = new SingleFlight<AnnotationsAt>();
  /** For each source: when the last read began that found it not frozen. */
  const unfrozenAtMs = new RecentMap<string, number>(rememberedSources);
  const isFresh = (atMs: number): boolean => clock.monotonic() - atMs <= freshMs;
  return ({ api, sources, readAtMs, signal }) => {
    const isFrozen = async (ref: SourceRef): Promise<boolean> => {
      const key = `${api.cluster}/${sourceKey(ref)}`;
      // A recent read counts, whichever write it was made for.
      if (isFresh(unfrozenAtMs.get(key) ?? -Infinity)) return false;
      if (isFresh(lastRead(api, ref) ?? -Infinity)) return false;
      const asked = shared.read(key, async () => {
        const atMs = clock.monotonic();
        return { atMs, annotations: await api.readSourceAnnotations(ref, lifetime) };
      });
      const { annotations, atMs } = await unlessAborted(asked, signal, "a source");
      if (frozenByAnnotation(annotations) !== undefined) return true;
      unfrozenAtMs.set(key, atMs);
      return false;
    };
    return async () => {
      if (isFresh(readAtMs)) return "go";
      return (await Promise.all(sources.map(isFrozen))).includes(true) ? "hold" : "go";
    };
  };
}
