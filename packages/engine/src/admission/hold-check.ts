import { freezeOf } from "@fleet-reloader/domain/hold/freeze";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import { parseWorkloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "../async/clock.ts";
import type { ClusterId, Hold, Request } from "../ports/request.ts";
import type { Freezes } from "./freezes.ts";
import type { FrozenObjects } from "./frozen-objects.ts";
import type { Reach } from "./gate/cluster-gate.ts";
import type { HoldCheck } from "./held-requests.ts";

export interface HoldCheckOptions {
  readonly freezes: Freezes;
  readonly clusterOf: (cluster: ClusterId) => { readonly name: string; readonly labels: Labels } | undefined;
  readonly reachOf: (cluster: ClusterId) => Reach;
  readonly annotationsOf: (cluster: ClusterId) => AnnotationView;
  readonly clock: Clock;
}

/**
 * What this process knows of the annotations that freeze objects of a cluster. `elsewhere`: another process watches the cluster and ends
 * these holds. `behind`: the streams will soon show the annotations. `unknown`: no stream shows them.
 */
export type AnnotationView = Pick<FrozenObjects, "isFrozen" | "version"> | "elsewhere" | "behind" | "unknown";

/**
 * Checks holds in a process that is always on, without asking their clusters. Holds of breakers and budgets end when their request is due
 * again: only a worker can check them.
 */
export function createHoldCheck(options: HoldCheckOptions): HoldCheck {
  return {
    async isStillHeld(request, hold) {
      switch (hold.reason) {
        case "Frozen":
        case "FreezeUnreadable":
          return await isFrozen(request, hold);
        case "FrozenByAnnotation":
          return isFrozenByAnnotation(options.annotationsOf(request.cluster), hold.frozenBy ?? []);
        case "ClusterUnreachable":
        case "ClusterUnknown":
          return options.reachOf(request.cluster) !== "reachable";
        case "ClusterFailing":
          // The cluster answers our probes. Only a worker finds out whether it answers requests.
          return options.reachOf(request.cluster) === "reachable" ? undefined : true;
        default:
          return undefined;
      }
    },
    async basisOf({ clusters, reasons }) {
      const isFreezing = reasons.has("Frozen") || reasons.has("FreezeUnreadable");
      const frozen = isFreezing ? await options.freezes.now() : undefined;
      const isAnnotated = reasons.has("FrozenByAnnotation");
      const perCluster = [...clusters].sort().map((cluster) => {
        const view = isAnnotated ? options.annotationsOf(cluster) : undefined;
        return [options.reachOf(cluster), typeof view === "object" ? view.version : view];
      });
      return JSON.stringify([frozen, perCluster]);
    },
  };

  async function isFrozen(
    { cluster, workload }: Request,
    { frozenBy: [ownerKey = ""] = [] }: Hold,
  ): Promise<boolean | undefined> {
    const frozen = await options.freezes.now();
    if (frozen.type === "unreadable") return true;
    const known = options.clusterOf(cluster);
    // Without the name and labels of the cluster, a freeze of it would look as if it were over.
    if (known === undefined) return undefined;
    const { name, labels } = known;
    const templateOwner = parseWorkloadKey(ownerKey);
    const target = {
      cluster,
      clusterName: name,
      clusterLabels: labels,
      workload,
      templateOwner,
      sources: [],
    };
    const ofSources = frozen.freezes.filter(({ scope }) => scope.source !== undefined);
    const others = frozen.freezes.filter(({ scope }) => scope.source === undefined);
    if (freezeOf(others, target, options.clock.now()) !== undefined) return true;
    // It is not known here which source of the workload changed.
    return ofSources.length === 0 ? false : undefined;
  }
}

/** `objects`: the keys of the objects that froze it when the hold began. */
function isFrozenByAnnotation(view: AnnotationView, objects: readonly string[]): boolean | undefined {
  if (view === "unknown") return undefined;
  if (view === "elsewhere" || view === "behind") return true;
  const seen = objects.map((key) => view.isFrozen(key));
  if (seen.includes(true)) return true;
  return seen.length === 0 || seen.includes(undefined) ? undefined : false;
}
