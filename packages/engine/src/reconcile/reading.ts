import type { Labels } from "@fleet-reloader/domain/label-selector";
import type { WorkloadKind } from "@fleet-reloader/domain/workload-kind";
import type { ClusterApi, LiveWorkload } from "../cluster-api.ts";
import type { Interest } from "../interest.ts";
import type { Request } from "../request.ts";
import type { Delivery } from "../workqueue.ts";

/** A cluster as a worker has it: how to talk to it. */
export interface EngagedCluster {
  /** What people call it: in logs and metrics. */
  readonly name: string;
  readonly api: ClusterApi;
  /** Those it was registered with; none when absent. */
  readonly labels?: Labels;
}

/** One look at a workload, and all that a decision about it needs. */
export interface Reading {
  readonly request: Request;
  readonly delivery: Delivery;
  readonly cluster: EngagedCluster;
  readonly live: LiveWorkload;
  readonly kind: WorkloadKind;
  readonly interest: Interest;
  /** Our note as it stands on the workload, and whether we are the one who wrote it. */
  readonly note: string | undefined;
  readonly isOwn: boolean;
  /** The largest count of any note that is known of it. */
  readonly noteCount: number;
  /** The note that counts, where Redis does not hold it: it would be gone with a write that leaves another on the workload. */
  readonly unkept: string | undefined;
}
