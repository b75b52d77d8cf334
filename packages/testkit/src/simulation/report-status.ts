import { isDeepStrictEqual } from "node:util";
import { jsonField } from "@fleet-reloader/domain/json";
import type { MemoryCluster } from "../memory/memory-cluster.ts";
import type { MemoryPods } from "../memory/memory-pods.ts";

/** Controllers write how far their rollouts are, where that is another status than the one that is there. */
export function reportStatus(cluster: MemoryCluster, pods: MemoryPods): void {
  for (const ref of cluster.workloadRefs) {
    const live = cluster.workload(ref);
    const status = { observedGeneration: live?.generation, ...pods.statusOf(ref) };
    if (!isDeepStrictEqual(jsonField(live?.object, "status"), status)) cluster.setStatus(ref, status);
  }
}
