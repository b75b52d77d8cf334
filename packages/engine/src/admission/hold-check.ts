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
 * Checks holds in a process that is always on, without asking their clusters. Holds by breakers, by budgets and by annotations end at
 * the time when their request is due again: only a worker can check them.
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
          // The cluster answers its probes. Only a worker finds out whether it answers requests.
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
    // A freeze by name or by labels would look as if it were over.
    if (known === undefined) return undefined;
    const { name, labels } = known;
    const target = { cluster, clusterName: name, clusterLabels: labels, workload, sources: [] };
    const ofSources = frozen.freezes.filter(({ scope }) => scope.source !== undefined);
    const others = frozen.freezes.filter(({ scope }) => scope.source === undefined);
    if (freezeOf(others, target, options.clock.now()) !== undefined) return true;
    // It is not known here which source of the workload changed.
    return ofSources.length === 0 ? false : undefined;
  }
}
