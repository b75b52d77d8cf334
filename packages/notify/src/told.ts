import type { EndReport, FailureReport, HoldReport, RollReport } from "@fleet-reloader/engine/reporter";

/** What is told to people outside the cluster. */
export type Told =
  | { readonly type: "rolled"; readonly report: RollReport }
  | { readonly type: "failed"; readonly report: FailureReport }
  | { readonly type: "rollout-failed"; readonly report: EndReport }
  | { readonly type: "held"; readonly report: HoldReport };

/** A change that did not get to the pods is what nobody should overlook. */
export type Failure = Exclude<Told, { readonly type: "rolled" }>;

export function isFailure(told: Told): told is Failure {
  return told.type !== "rolled";
}
