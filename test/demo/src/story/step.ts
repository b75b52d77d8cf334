import type { SimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import type { WrittenBy } from "@fleet-reloader/testkit/sim-api/cluster-control";
import type { Fleet, Workload } from "../fleet.ts";
import type { ClusterName } from "../seeds/clusters.ts";

/** One step of the story: what is done to the clusters, and which pods have to be replaced because of it. */
export interface Step {
  /** Of product.md: `S1`. */
  readonly scenario: string;
  readonly title: string;
  /** Why anybody cares; a line each, at most 95 characters. */
  readonly story: readonly string[];
  /** None: nothing is done, and nothing may happen. */
  readonly acts: readonly Act[];
  readonly expects: string;
  /** All others: none. */
  readonly rolls: readonly ExpectedRoll[];
  /** What else must be true afterwards, and is shown. */
  readonly proof?: Proof;
  /** Listens for one roll too many before the story goes on; where absent the next step would notice it. */
  readonly settleMs?: number;
}

export interface Act {
  /** After the act before. */
  readonly afterMs?: number;
  /** The field manager in the write log. */
  readonly who: string;
  readonly does: string;
  readonly on: readonly ClusterName[];
  readonly write: (cluster: SimCluster, by: WrittenBy) => void;
}

export interface ExpectedRoll {
  readonly cluster: ClusterName;
  readonly workload: Workload;
  readonly times: number;
}

export interface Proof {
  readonly what: string;
  /** Lines to show; undefined as long as it is not true. */
  readonly find: (fleet: Fleet) => readonly string[] | undefined;
}

export function once(cluster: ClusterName, workload: Workload): ExpectedRoll {
  return { cluster, workload, times: 1 };
}
