import type { SimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { type ClusterName, clusterNames } from "./seeds/clusters.ts";

/** The simulated clusters by name. */
export type Fleet = Readonly<Record<ClusterName, SimCluster>>;

export interface Workload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One accepted write, with the cluster it was made on. */
export type ClusterWrite = SimCluster["writes"][number] & { readonly cluster: ClusterName };

/** Reads the clusters' own write logs onwards: each write is given once. */
export class WriteTail {
  readonly #fleet: Fleet;
  readonly #read = new Map<ClusterName, number>();

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** All writes since the last call, oldest first. */
  take(): readonly ClusterWrite[] {
    const fresh = clusterNames.flatMap((cluster) => {
      const { writes } = this.#fleet[cluster];
      const from = this.#read.get(cluster) ?? 0;
      this.#read.set(cluster, writes.length);
      return writes.slice(from).map((write) => ({ ...write, cluster }));
    });
    return fresh.sort((a, b) => a.at - b.at);
  }

  /** The pods of this workload have to be replaced. */
  takeRolls(): readonly ClusterWrite[] {
    return this.take().filter((write) => write.templateChanged);
  }
}
