import type { EndReport, FailureReport, RollReport } from "@fleet-reloader/engine/reporter";

/** What is told to people outside the cluster. */
export type Told =
  | { readonly type: "rolled"; readonly report: RollReport }
  | { readonly type: "failed"; readonly report: FailureReport }
  | { readonly type: "rollout-failed"; readonly report: EndReport };

/** A failure is what nobody should overlook. */
export function isFailure(told: Told): boolean {
  return told.type !== "rolled";
}
