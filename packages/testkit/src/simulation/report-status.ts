import { isJsonObject, jsonField } from "@fleet-reloader/domain/json";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import type { MemoryCluster } from "../memory/memory-cluster.ts";
import type { MemoryPods } from "../memory/memory-pods.ts";

/** Workloads as they were when their status was right, with how often pods had changed by then. */
const told = new WeakMap<LiveWorkload, number>();

/** Controllers write how far their rollouts are, where that is another status than the one that is there. Answers whether one did. */
export function reportStatus(cluster: MemoryCluster, pods: MemoryPods): boolean {
  let hasWritten = false;
  pods.catchUp();
  for (const ref of cluster.workloadRefs) {
    const live = cluster.workload(ref);
    if (live === undefined || told.get(live) === pods.changes) continue;
    const status = { observedGeneration: live.generation, ...pods.statusOf(ref) };
    if (!isSameStatus(jsonField(live.object, "status"), status)) {
      cluster.setStatus(ref, status);
      hasWritten = true;
    }
    told.set(cluster.workload(ref) ?? live, pods.changes);
  }
  return hasWritten;
}

/** Nothing in a status of these controllers is nested. */
function isSameStatus(before: unknown, now: object): boolean {
  if (!isJsonObject(before)) return false;
  const fields = Object.entries(now);
  return (
    Object.keys(before).length === fields.length && fields.every(([name, value]) => before[name] === value)
  );
}
