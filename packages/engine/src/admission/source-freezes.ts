import { frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { Annotations } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "../async/clock.ts";
import { SingleFlight } from "../async/single-flight.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { Admit, ClusterApi } from "../ports/cluster-api.ts";

/** The sources whose change is about to be rolled. */
export interface ReadSources {
  readonly api: Pick<ClusterApi, "cluster" | "readSourceAnnotations">;
  readonly sources: readonly SourceRef[];
  /** Monotonic: they were read no earlier than this. */
  readonly readAtMs: number;
  readonly signal: AbortSignal;
}

/** A source that was read longer ago than this is read again: reading over a slow line takes as long by itself. */
const freshMs = 100;

/**
 * Holds a write while one of the changed sources is annotated as frozen. Requests that ask for the same source at the same time share
 * one read, which ends with the lifetime.
 */
export function createSourceFreezes({
  clock,
  lifetime,
}: {
  readonly clock: Clock;
  readonly lifetime: AbortSignal;
}): (read: ReadSources) => Admit {
  const shared = new SingleFlight<Annotations>();
  return ({ api, sources, readAtMs, signal }) => {
    let askedAtMs = readAtMs;
    const isFrozen = async (ref: SourceRef): Promise<boolean> => {
      const key = `${api.cluster}/${sourceKey(ref)}`;
      const asked = shared.read(key, () => api.readSourceAnnotations(ref, lifetime));
      return frozenByAnnotation(await unlessAborted(asked, signal, "a source")) !== undefined;
    };
    return async () => {
      if (clock.monotonic() - askedAtMs <= freshMs) return "go";
      askedAtMs = clock.monotonic();
      return (await Promise.all(sources.map(isFrozen))).includes(true) ? "hold" : "go";
    };
  };
}
