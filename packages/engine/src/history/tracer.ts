import type { ReloadStrategy } from "@fleet-reloader/domain/strategy/reload-strategy";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { RolloutResult } from "../ports/meter.ts";
import type { ClusterId } from "../ports/request.ts";
import type { DeliveryTimes } from "../ports/workqueue.ts";
import type { CausingSource } from "./history.ts";

/** Takes the stages of changes, rolls and rollouts with their times. Every call returns at once, throws nothing and is never waited for. */
export interface Tracer {
  rolled(roll: TracedRoll): void;
  ended(rollout: TracedRollout): void;
}

/** Identifies a roll: a workload rolls once in a millisecond. Times are wall times in milliseconds. */
export interface TracedWorkload {
  readonly cluster: ClusterId;
  readonly clusterName: string;
  readonly workload: WorkloadRef;
  readonly rolledAtMs: number;
}

/** A roll that was written, with the changes that it answers. Names, times and reasons: never a value, a mark or a hash. */
export interface TracedRoll extends TracedWorkload, DeliveryTimes {
  readonly strategy: ReloadStrategy;
  readonly changes: readonly TracedChange[];
}

export interface TracedChange {
  readonly source: CausingSource;
  /** Undefined: the API server does not show it. */
  readonly writtenAtMs: number | undefined;
}

/** The end of the rollout of a roll. */
export interface TracedRollout extends TracedWorkload {
  readonly result: RolloutResult;
  readonly reason: string;
  readonly endedAtMs: number;
}
