import type { Reach } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";

/**
 * How well a member reaches a cluster. `lost`: it has been unreachable for a minute. `away`: it did not accept the last probe. `back`: it did.
 * `steady`: it has done so for longer than a member whose probes still fail needs to notice that the cluster is back.
 */
export type Standing = "lost" | "away" | "back" | "steady";

/** Shorter outages pass with the streams of the owner; those of another owner would begin with lists. */
const lostMs = 60_000;
/** When a cluster is back, its owner notices it within two probes of 5 s and a beat, and only then another member may take it. */
const steadyMs = 15_000;

interface Sight {
  readonly reach: Reach;
  readonly sinceMs: number;
  readonly seenMs: number;
}

/** Notes how long the reach of each cluster has been what it is. What it was while nobody looked is not known. */
export class ClusterReach {
  readonly #reachOf: (cluster: ClusterId) => Reach;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #gapMs: number;
  #sights = new Map<ClusterId, Sight>();

  /** `gapMs`: after a longer time between two looks nothing is concluded from the earlier one. */
  constructor(
    reachOf: (cluster: ClusterId) => Reach,
    { clock, gapMs }: { readonly clock: Pick<Clock, "monotonic">; readonly gapMs: number },
  ) {
    this.#reachOf = reachOf;
    this.#clock = clock;
    this.#gapMs = gapMs;
  }

  /** Looks at these clusters, and forgets all others. */
  look(clusters: Iterable<ClusterId>): void {
    const now = this.#clock.monotonic();
    const sights = new Map<ClusterId, Sight>();
    for (const cluster of clusters) {
      const reach = this.#reachOf(cluster);
      const before = this.#sights.get(cluster);
      const isSame = before?.reach === reach && now - before.seenMs <= this.#gapMs;
      sights.set(cluster, { reach, sinceMs: isSame ? before.sinceMs : now, seenMs: now });
    }
    this.#sights = sights;
  }

  /** As of the last look. */
  standing(cluster: ClusterId): Standing {
    const sight = this.#sights.get(cluster);
    if (sight === undefined) return "away";
    const forMs = sight.seenMs - sight.sinceMs;
    if (sight.reach === "reachable") return forMs >= steadyMs ? "steady" : "back";
    return sight.reach === "unreachable" && forMs >= lostMs ? "lost" : "away";
  }
}
