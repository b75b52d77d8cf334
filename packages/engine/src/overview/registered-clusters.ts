import { Fault } from "@fleet-reloader/domain/fault";
import { clustersOf } from "@fleet-reloader/domain/hold/freeze-coverage";
import type { ClusterOverview, FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import { textFlag } from "../frame/cli-fields.ts";

export const clusterFlag = textFlag("cluster", "NAME", "Only this cluster, by name or id.");
export const namespaceFlag = textFlag("namespace", "NAME", "Only this namespace.");

/** The registered clusters, or the named one. A name that no cluster has is a fault with the nearest one. */
export async function chosenClusters(
  overview: Pick<FleetOverview, "clusters">,
  cluster: string,
): Promise<readonly ClusterOverview[]> {
  const listed = await overview.clusters();
  if (listed === undefined)
    throw new Fault("redis.state-lost", "no fleet-reloader serves clusters with this Redis now");
  return cluster === "" ? listed : onlyCluster(listed, cluster);
}

/** Names of Kubernetes objects have at most so many characters. */
const clusterNameMax = 253;

/** The cluster of this name or id among those that are listed. */
export function onlyCluster(listed: readonly ClusterOverview[], cluster: string): readonly ClusterOverview[] {
  if (cluster.length > clusterNameMax)
    throw new Fault(
      "config.invalid",
      `--cluster: no cluster has a name of ${cluster.length} characters; write one name or id`,
    );
  const { clusters, missing } = clustersOf({ cluster }, listed);
  if (missing !== undefined) throw new Fault("config.invalid", `--cluster: ${missing}`);
  return clusters;
}

/** What people call a cluster; its id when it is not registered any more. */
export function clusterNamer(clusters: readonly ClusterOverview[]): (id: string) => string {
  const names = new Map(clusters.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}
