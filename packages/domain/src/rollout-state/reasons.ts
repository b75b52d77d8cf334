/**
 * How the rollout of a roll ended, each with its meaning in one sentence. `ends` says as what; one that ends as `stalled` is told
 * when there is no time left. Closed list (decision 14).
 */
export const rolloutReasons = [
  { reason: "Available", ends: "healthy", meaning: "All pods run the new template and are available." },
  {
    reason: "NoPods",
    ends: "healthy",
    meaning: "The workload is scaled to zero: there are no pods to wait for.",
  },
  {
    reason: "Partitioned",
    ends: "healthy",
    meaning: "All pods that the partition of the StatefulSet lets be updated are.",
  },
  {
    reason: "WaitsForManualDelete",
    ends: "healthy",
    meaning: "The update strategy is OnDelete: a pod has the new template when somebody deletes the old one.",
  },
  {
    reason: "NextRun",
    ends: "healthy",
    meaning: "A run with the new content was made; the next ones have it too.",
  },
  { reason: "Running", ends: "healthy", meaning: "The Job made anew runs." },
  { reason: "Completed", ends: "healthy", meaning: "The Job made anew has completed." },
  { reason: "Ready", ends: "healthy", meaning: "The object says that it is ready." },
  { reason: "NothingToObserve", ends: "healthy", meaning: "The object tells nothing of a rollout." },
  {
    reason: "ProgressDeadlineExceeded",
    ends: "failed",
    meaning: "Its controller gave up: no progress within the time the workload allows.",
  },
  {
    reason: "ReplicaFailure",
    ends: "failed",
    meaning: "Pods cannot be made, for example because of a quota.",
  },
  { reason: "RolloutFailed", ends: "failed", meaning: "Its controller says that the rollout failed." },
  { reason: "JobFailed", ends: "failed", meaning: "The Job made anew has failed." },
  {
    reason: "CrashLoopBackOff",
    ends: "failed",
    meaning: "A container of a new pod ends again and again.",
  },
  {
    reason: "CreateContainerConfigError",
    ends: "failed",
    meaning:
      "A container of a new pod cannot be made from its configuration, for example because a key is missing.",
  },
  {
    reason: "ImagePullBackOff",
    ends: "failed",
    meaning: "The image of a new pod cannot be pulled.",
  },
  { reason: "Unschedulable", ends: "stalled", meaning: "No node has room for a new pod, or may take it." },
  {
    reason: "Paused",
    ends: "stalled",
    meaning: "The workload is paused: its pods are made anew when somebody resumes it.",
  },
  { reason: "NotReady", ends: "stalled", meaning: "The object went on saying that it is not ready." },
  {
    reason: "NoProgress",
    ends: "stalled",
    meaning: "It went on for longer than it may, without a reason to be seen.",
  },
] as const;

type Ends<End> = Extract<(typeof rolloutReasons)[number], { readonly ends: End }>["reason"];

/** Why a rollout counts as healthy. */
export type HealthyReason = Ends<"healthy">;
/** Why a rollout has failed. */
export type FailedReason = Ends<"failed">;
/** Why a rollout goes no further, and may yet. */
export type StalledReason = Ends<"stalled">;
/** One of `rolloutReasons`. */
export type RolloutReason = (typeof rolloutReasons)[number]["reason"];
