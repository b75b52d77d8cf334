import type { Clock } from "../async/clock.ts";
import type { EngagedCluster } from "../ports/cluster-api.ts";
import type { Request } from "../ports/request.ts";

/** The fields that every report begins with. */
export function reportHead(request: Request, cluster: Pick<EngagedCluster, "name">, clock: Clock) {
  const { name: clusterName } = cluster;
  return { cluster: request.cluster, clusterName, workload: request.workload, atMs: clock.now() };
}
