import type { Reach } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";

/**
 * How well a member reaches a cluster. `lost`: it has been unreachable for a minute. `away`: it did not accept the last probe. `back`: it did.
 * `steady`: it has done so for longer than a member whose probes still fail needs to notice that the cluster is back.
 */
export type ReachState = "lost" | "away" | "back" | "steady";

/** Shorter outages pass with the streams of the owner; those of another owner would begin with lists. */
const lostMs = 60_000;
/** When a cluster is back, its owner notices it within two probes of 5 s and a beat, and only then another member may take it. */
const steadyMs = 15_000;

interface ObservedReach {
  readonly reach: Reach;
  readonly sinceMs: number;
  readonly observedMs: number;
}

/** Measures how long the reach of each cluster has been what it is. What it was between two distant observations is not known. */
export class ClusterReach {
  readonly #reachOf: (cluster: ClusterId) => Reach;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #gapMs: number;
  #observed = new Map<ClusterId, ObservedReach>();

  /** `gapMs`: after a longer time between two observations nothing is concluded from the earlier one. */
  constructor(
    reachOf: (cluster: ClusterId) => Reach,
    { clock, gapMs }: { readonly clock: Pick<Clock, "monotonic">; readonly gapMs: number },
  ) {
    this.#reachOf = reachOf;
    this.#clock = clock;
    this.#gapMs = gapMs;
  }

  /** Observes these clusters, and forgets all others. */
  observe(clusters: Iterable<ClusterId>): void {
    const now = this.#clock.monotonic();
    const observed = new Map<ClusterId, ObservedReach>();
    for (const cluster of clusters) {
      const reach = this.#reachOf(cluster);
      const before = this.#observed.get(cluster);
      const isSame = before?.reach === reach && now - before.observedMs <= this.#gapMs;
      observed.set(cluster, { reach, sinceMs: isSame ? before.sinceMs : now, observedMs: now });
    }
    this.#observed = observed;
  }

  /** As of the last observation. */
  stateOf(cluster: ClusterId): ReachState {
    const last = this.#observed.get(cluster);
    if (last === undefined) return "away";
    const forMs = last.observedMs - last.sinceMs;
    if (last.reach === "reachable") return forMs >= steadyMs ? "steady" : "back";
    return last.reach === "unreachable" && forMs >= lostMs ? "lost" : "away";
  }
}
