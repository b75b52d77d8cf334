import { eachClusterOnce } from "@fleet-reloader/domain/cluster/each-cluster-once";
import { Fault } from "@fleet-reloader/domain/fault";
import { clustersOf, type RegisteredCluster } from "@fleet-reloader/domain/hold/freeze-coverage";
import type { ClusterOverview, FleetOverview, ManagedWorkload } from "./fleet-overview.ts";
import { refusedQuestion } from "./refused-question.ts";

/** The registered clusters, or the named one; an empty name means all. Faults with the nearest name if no cluster has the name. */
export async function chosenClusters(
  overview: Pick<FleetOverview, "clusters">,
  cluster: string,
): Promise<readonly ClusterOverview[]> {
  const listed = await overview.clusters();
  if (listed === undefined)
    throw new Fault("redis.state-lost", "no fleet-reloader serves clusters with this Redis now");
  return cluster === "" ? listed : onlyCluster(listed, cluster);
}

/** Like `chosenClusters`, but each cluster once, so that nothing is counted or read twice. */
export async function servedClusters(
  overview: Pick<FleetOverview, "clusters">,
  cluster: string,
): Promise<readonly ClusterOverview[]> {
  return eachClusterOnce(await chosenClusters(overview, cluster));
}

/** Names of Kubernetes objects have at most this many characters. */
const clusterNameMax = 253;

/** The listed cluster with this name or id. Faults with the nearest name if there is none. */
export function onlyCluster<C extends RegisteredCluster>(
  listed: readonly C[],
  cluster: string,
): readonly C[] {
  const asked = { field: "cluster", value: cluster };
  if (cluster.length > clusterNameMax)
    throw refusedQuestion({
      ...asked,
      problem: `cluster: no cluster has a name of ${cluster.length} characters`,
      mend: "write one name or id",
    });
  const { clusters, missing } = clustersOf({ cluster }, listed);
  if (missing === undefined) return clusters;
  const end = missing.lastIndexOf("; ");
  const [why, mend] = end < 0 ? [missing, ""] : [missing.slice(0, end), missing.slice(end + 2)];
  throw refusedQuestion({ ...asked, problem: `cluster: ${why}`, mend });
}

/** The display name of a cluster; its id if it is no longer registered. */
export function clusterNamer(clusters: readonly ClusterOverview[]): (id: string) => string {
  const names = new Map(eachClusterOnce(clusters).map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}

/** A managed workload, with the display name of its cluster. */
export interface ClusterWorkload extends ManagedWorkload {
  readonly cluster: string;
}

/** The managed workloads of a cluster and a namespace; empty means all. Faults if no cluster has the name. */
export async function managedWorkloads(
  overview: Pick<FleetOverview, "clusters" | "managed">,
  { cluster, namespace }: { readonly cluster: string; readonly namespace: string },
): Promise<{ readonly clusterCount: number; readonly workloads: readonly ClusterWorkload[] }> {
  const clusters = await servedClusters(overview, cluster);
  const all = await Promise.all(
    clusters.map(async ({ id, name }) => {
      const managed = id === undefined ? [] : await overview.managed(id, namespace);
      return ofCluster(name, managed);
    }),
  );
  const workloads = all.flat().filter(({ ref }) => namespace === "" || ref.namespace === namespace);
  return { clusterCount: clusters.length, workloads };
}

/** A list that reads only the parts that are shown. */
export interface PartialList<T> {
  readonly count: number;
  /** The items from the first position up to, but without, the second one, if they exist. */
  part(start: number, end: number): Promise<readonly T[]>;
}

/**
 * Lists the workloads of these clusters, for a caller that may see all of them. A cluster is read when a part of the list lies in it. A
 * cluster that has changed since it was counted yields as many as were counted, so that the other clusters keep their places.
 */
export function listManaged(
  clusters: readonly ClusterOverview[],
  overview: Pick<FleetOverview, "managed">,
): PartialList<ClusterWorkload> {
  const counts = clusters.map(({ id, workloads }) => (id === undefined ? 0 : workloads));
  const starts = [0];
  for (const [at, count] of counts.entries()) starts.push((starts[at] ?? 0) + count);
  return {
    count: starts.at(-1) ?? 0,
    async part(start, end) {
      const parts = await Promise.all(
        clusters.map(async ({ id = "", name }, at) => {
          const [first = 0, count = 0] = [starts[at], counts[at]];
          if (first >= end || first + count <= start) return [];
          const counted = (await overview.managed(id)).slice(0, count);
          return ofCluster(name, counted.slice(Math.max(0, start - first), end - first));
        }),
      );
      return parts.flat();
    },
  };
}

function ofCluster(cluster: string, managed: readonly ManagedWorkload[]): readonly ClusterWorkload[] {
  return managed.map(({ ref, sources, patterns }) => ({ cluster, ref, sources, patterns }));
}
