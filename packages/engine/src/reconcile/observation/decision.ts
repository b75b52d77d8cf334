import type { RollPlan } from "@fleet-reloader/domain/plan/plan";
import type { StayReason } from "@fleet-reloader/domain/plan/reasons";
import { type Eligibility, isActedOn } from "@fleet-reloader/domain/workload/eligibility";
import type { Settings } from "../../ports/settings.ts";
import type { Observation } from "./observe.ts";

/** What follows from an observation. */
export interface Decided {
  /** Undefined: nothing rolls, for the reason in `stays`. */
  readonly due: RollPlan | undefined;
  readonly stays: StayReason;
}

/** What is not acted on is recorded all the same: it does not run for an old change when it is resumed. */
export function decidedOn({ eligibility, planned }: Observation, settings: Settings): Decided {
  const due = planned.type === "roll" && isActedOn(eligibility, settings) ? planned : undefined;
  return { due, stays: stayReasonOf(eligibility) };
}

/** Why a workload does not roll. */
function stayReasonOf(eligibility: Eligibility): StayReason {
  switch (eligibility) {
    case "suspended":
      return "WorkloadSuspended";
    case "finished":
      return "WorkloadFinished";
    case "owned":
      return "OwnedByAnother";
    default:
      return "ContentUnchanged";
  }
}
