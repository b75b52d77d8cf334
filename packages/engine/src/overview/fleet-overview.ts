import type { ListedCluster } from "@fleet-reloader/domain/cluster/listed-cluster";
import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { HeldRequest } from "../admission/held-requests.ts";
import type { Work } from "../admission/work.ts";
import type { ClusterReport } from "../ports/ownership.ts";
import type { ClusterId, Request } from "../ports/request.ts";

/** What Redis alone knows of a fleet now, for people. Nothing is decided by it, and no question changes anything. */
export interface FleetOverview {
  /** The registered clusters; undefined: no process serves clusters with this Redis now. */
  clusters(): Promise<readonly ClusterOverview[] | undefined>;
  queue(): Promise<QueueOverview>;
  holds(): Promise<readonly HeldRequest[]>;
  /** The freezes that the services obey, as last reported. One may have ended since. */
  freezes(): Promise<readonly Freeze[]>;
  /** Why a document of freezes cannot be read, so that nothing is rolled; undefined: all can be read. */
  unreadableFreezes(): Promise<string | undefined>;
  /** The opted-in workloads of a cluster; an empty namespace means all. With a namespace others need not be read, but may be in the result. */
  managed(cluster: ClusterId, namespace?: string): Promise<readonly ManagedWorkload[]>;
  /** For each budget that may hold this request, a few of the unfinished rollouts that it counts, oldest first. */
  unfinished(request: Request): Promise<readonly UnfinishedRolls[]>;
}

export interface ClusterOverview extends ListedCluster {
  /** Its watcher; undefined: none, or one process does everything. */
  readonly watcher: string | undefined;
  /** Opted-in workloads. */
  readonly workloads: number;
  /** How many of them no worker has observed yet. */
  readonly unobserved: number;
  /** Rollouts that have not ended. */
  readonly rollouts: number;
  /** The report of its watcher; undefined: no watcher has it, or one of an older version does. */
  readonly report?: ClusterReport | undefined;
}

export interface QueueOverview extends Work {
  /** Age of the oldest request that is due and not taken up, in milliseconds; undefined: there is none. */
  readonly oldestMs: number | undefined;
  /** Waiting for a later time, and not on hold: for a quiet period, another attempt, or the next look at a rollout. */
  readonly delayed: number;
}

export interface ManagedWorkload {
  readonly ref: WorkloadRef;
  /** The object that the workload refers to for its pod template. */
  readonly templateOwner?: WorkloadRef | undefined;
  /** Keys of the sources that the workload names or references. */
  readonly sources: readonly string[];
  /** Pairs of a source kind and a name pattern. */
  readonly patterns: readonly (readonly [string, string])[];
}

/** The rollouts that a budget counts as unfinished. */
export interface UnfinishedRolls {
  readonly level: "fleet" | "cluster" | "namespace";
  readonly requests: readonly Request[];
}
