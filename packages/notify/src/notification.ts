import type { EndReport, FailureReport, HoldReport, RollReport } from "@fleet-reloader/engine/ports/reporter";

/** A report to people or programs outside the cluster. */
export type Notification =
  | { readonly type: "rolled"; readonly report: RollReport }
  | { readonly type: "failed"; readonly report: FailureReport }
  | { readonly type: "rollout-failed"; readonly report: EndReport }
  | { readonly type: "held"; readonly report: HoldReport };

/** A report that nobody should miss: a change that did not reach the pods, or did them harm. */
export type Urgent = Exclude<Notification, { readonly type: "rolled" }>;

export function isUrgent(notification: Notification): notification is Urgent {
  return notification.type !== "rolled";
}
