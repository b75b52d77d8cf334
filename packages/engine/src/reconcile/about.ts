import type { Clock } from "../clock.ts";
import type { Request } from "../request.ts";
import type { EngagedCluster } from "./reading.ts";

/** What every report says first. */
export function about(request: Request, cluster: EngagedCluster, clock: Clock) {
  const { name: clusterName } = cluster;
  return { cluster: request.cluster, clusterName, workload: request.workload, atMs: clock.now() };
}
