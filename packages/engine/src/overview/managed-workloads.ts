import type { FleetOverview, ManagedWorkload } from "./fleet-overview.ts";
import { chosenClusters } from "./registered-clusters.ts";

/** A workload that is reloaded, with what people call its cluster. */
export interface ClusterWorkload extends ManagedWorkload {
  readonly cluster: string;
}

/** The workloads that are reloaded in a cluster and a namespace; empty: in all. Faults when no cluster is called so. */
export async function managedWorkloads(
  overview: Pick<FleetOverview, "clusters" | "managed">,
  { cluster, namespace }: { readonly cluster: string; readonly namespace: string },
): Promise<{ readonly clusterCount: number; readonly workloads: readonly ClusterWorkload[] }> {
  const clusters = await chosenClusters(overview, cluster);
  const all = await Promise.all(
    clusters.map(async ({ id, name }) => {
      const managed = id === undefined ? [] : await overview.managed(id);
      return managed.map(
        ({ ref, sources, patterns }): ClusterWorkload => ({ cluster: name, ref, sources, patterns }),
      );
    }),
  );
  const workloads = all.flat().filter(({ ref }) => namespace === "" || ref.namespace === namespace);
  return { clusterCount: clusters.length, workloads };
}
