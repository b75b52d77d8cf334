import type { Plan } from "@fleet-reloader/domain/plan/plan";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { Interest } from "../observe/interest.ts";
import type { EngagedCluster, LiveWorkload } from "../ports/cluster-api.ts";
import type { Request } from "../ports/request.ts";
import type { Delivery } from "../ports/workqueue.ts";

/** A roll that the plan asks for. */
export type DueRoll = Plan & { readonly type: "roll" };

/** A workload as it was observed, with all that a decision about it needs. */
export interface Reading {
  readonly request: Request;
  readonly delivery: Delivery;
  readonly cluster: EngagedCluster;
  readonly live: LiveWorkload;
  readonly kind: WorkloadKind;
  readonly interest: Interest;
  /** Our note on the workload, and whether we wrote it. */
  readonly note: string | undefined;
  readonly isOwn: boolean;
  /** The largest count of all its known notes. */
  readonly noteCount: number;
  /** The note that counts, where Redis does not hold it. It would be lost with the write of another note. */
  readonly unkept: string | undefined;
}
