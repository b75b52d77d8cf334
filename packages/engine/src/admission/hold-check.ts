import { freezeOf } from "@fleet-reloader/domain/hold/freeze";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import type { Clock } from "../async/clock.ts";
import type { ClusterId, Request } from "../ports/request.ts";
import type { Freezes } from "./freezes.ts";
import type { Reach } from "./gate/cluster-gate.ts";
import type { HoldCheck } from "./held-requests.ts";

export interface HoldCheckOptions {
  readonly freezes: Freezes;
  readonly clusterOf: (cluster: ClusterId) => { readonly name: string; readonly labels: Labels } | undefined;
  readonly reachOf: (cluster: ClusterId) => Reach;
  readonly clock: Clock;
}

/**
 * For whoever counts the work there is while no worker runs: what can be told of a hold without asking its cluster. Breakers,
 * budgets and freezes that stand on an object end at the time the request is due again: a worker has to look.
 */
export function createHoldCheck(options: HoldCheckOptions): HoldCheck {
  return {
    async isStillHeld(request, reason) {
      switch (reason) {
        case "Frozen":
        case "FreezeUnreadable":
          return await isFrozen(request);
        case "ClusterUnreachable":
        case "ClusterUnknown":
          return options.reachOf(request.cluster) !== "reachable";
        case "ClusterFailing":
          // Where it answers its probes again it is for a worker to find out the rest.
          return options.reachOf(request.cluster) === "reachable" ? undefined : true;
        default:
          return undefined;
      }
    },
    async basisOf({ clusters, reasons }) {
      const isFreezing = reasons.has("Frozen") || reasons.has("FreezeUnreadable");
      const frozen = isFreezing ? await options.freezes.now() : undefined;
      return JSON.stringify([frozen, [...clusters].sort().map((cluster) => options.reachOf(cluster))]);
    },
  };

  async function isFrozen({ cluster, workload }: Request): Promise<boolean | undefined> {
    const frozen = await options.freezes.now();
    if (frozen.type === "unreadable") return true;
    const known = options.clusterOf(cluster);
    // By its id alone a freeze by name or labels would look as if it were over.
    if (known === undefined) return undefined;
    const { name, labels } = known;
    const target = { cluster, clusterName: name, clusterLabels: labels, workload, sources: [] };
    const ofSources = frozen.freezes.filter(({ scope }) => scope.source !== undefined);
    const others = frozen.freezes.filter(({ scope }) => scope.source === undefined);
    if (freezeOf(others, target, options.clock.now()) !== undefined) return true;
    // Which of its sources changed is not known here.
    return ofSources.length === 0 ? false : undefined;
  }
}
