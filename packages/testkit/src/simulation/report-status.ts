import { isJsonObject, jsonField } from "@fleet-reloader/domain/json";
import type { MemoryCluster } from "../memory/memory-cluster.ts";
import type { MemoryPods } from "../memory/memory-pods.ts";

/** Controllers write how far their rollouts are, where that is another status than the one that is there. */
export function reportStatus(cluster: MemoryCluster, pods: MemoryPods): void {
  for (const ref of cluster.workloadRefs) {
    const live = cluster.workload(ref);
    const status = { observedGeneration: live?.generation, ...pods.statusOf(ref) };
    if (!isSameStatus(jsonField(live?.object, "status"), status)) cluster.setStatus(ref, status);
  }
}

/** Nothing in a status of these controllers is nested. */
function isSameStatus(before: unknown, now: object): boolean {
  if (!isJsonObject(before)) return false;
  const fields = Object.entries(now);
  return (
    Object.keys(before).length === fields.length && fields.every(([name, value]) => before[name] === value)
  );
}
