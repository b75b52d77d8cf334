import { writtenBy } from "@fleet-reloader/domain/evidence/managed-fields";
import { hasRunSince } from "@fleet-reloader/domain/evidence/run-since";
import { fieldManager } from "@fleet-reloader/domain/field-manager";
import type { RollPlan } from "@fleet-reloader/domain/plan/plan";
import type { StayReason } from "@fleet-reloader/domain/plan/reasons";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import { type Eligibility, isActedOn } from "@fleet-reloader/domain/workload/eligibility";
import type { Settings } from "../../ports/settings.ts";
import type { Observation } from "./observe.ts";

/** The consequence of an observation. */
export interface Decided {
  /** Undefined: nothing rolls, for the reason in `stays`. */
  readonly due: RollPlan | undefined;
  readonly stays: StayReason;
}

/** Decides whether a planned roll is made. A change that is not acted on is still recorded, so that a resumed workload does not roll for it. */
export function decidedOn(observation: Observation, settings: Settings): Decided {
  const { eligibility, planned } = observation;
  const due = planned.type === "roll" && isActedOn(eligibility, settings) ? planned : undefined;
  if (due !== undefined && hasRun(observation, due)) return { due: undefined, stays: "RanSinceChange" };
  return { due, stays: stayReasonOf(eligibility) };
}

/** Whether a schedule has started a run that has read every change. The record has to be ours: the time of another's is not known. */
function hasRun({ reading, observedSources }: Observation, { changed }: RollPlan): boolean {
  const { isOwn, kind, live } = reading;
  const dueAtSeconds = kind.lastDueAtSeconds?.(live.object) ?? 0;
  if (dueAtSeconds === 0 || !isOwn) return false;
  const keys = new Set(changed.map(({ source }) => sourceKey(source)));
  const run = { dueAtSeconds, appliedAtSeconds: writtenBy(fieldManager, live.object) };
  return hasRunSince(
    run,
    observedSources.filter(({ ref }) => keys.has(sourceKey(ref))),
  );
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
