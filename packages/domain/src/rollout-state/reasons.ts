/**
 * How the rollout of a roll ended, each with its meaning. `ends` is the result. A `stalled` result is reported when the deadline is over. Closed
 * list (decision 14).
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
    meaning: "All pods that the partition of the update strategy allows to be updated run the new template.",
  },
  {
    reason: "WaitsForManualDelete",
    ends: "healthy",
    meaning:
      "The update strategy is OnDelete: a pod gets the new template when somebody deletes the old pod.",
  },
  {
    reason: "WaitsForManualRollout",
    ends: "healthy",
    meaning:
      "The DeploymentConfig has no ConfigChange trigger: its pods get the new template with its next deployment, for example when somebody runs `oc rollout latest`.",
  },
  {
    reason: "NextRun",
    ends: "healthy",
    meaning: "A run with the new content was created; later runs have it too.",
  },
  { reason: "Running", ends: "healthy", meaning: "The recreated Job runs." },
  { reason: "Completed", ends: "healthy", meaning: "The recreated Job has completed." },
  { reason: "Ready", ends: "healthy", meaning: "The object reports that it is ready." },
  { reason: "NothingToObserve", ends: "healthy", meaning: "The object reports nothing about a rollout." },
  {
    reason: "ProgressDeadlineExceeded",
    ends: "failed",
    meaning: "Its controller gave up: no progress within the deadline of the workload.",
  },
  {
    reason: "ReplicaFailure",
    ends: "failed",
    meaning: "Pods cannot be created, for example because of a quota.",
  },
  { reason: "RolloutFailed", ends: "failed", meaning: "Its controller reports that the rollout failed." },
  { reason: "JobFailed", ends: "failed", meaning: "The recreated Job has failed." },
  { reason: "CrashLoopBackOff", ends: "failed", meaning: "A container of a new pod exits again and again." },
  {
    reason: "CreateContainerConfigError",
    ends: "failed",
    meaning:
      "A container of a new pod cannot be created from its configuration, for example because a key is missing.",
  },
  { reason: "ImagePullBackOff", ends: "failed", meaning: "The image of a new pod cannot be pulled." },
  { reason: "Unschedulable", ends: "stalled", meaning: "No node has room for a new pod or may run it." },
  {
    reason: "Paused",
    ends: "stalled",
    meaning: "The workload is paused. Its pods are replaced when somebody resumes it.",
  },
  { reason: "NotReady", ends: "stalled", meaning: "The object still reports that it is not ready." },
  {
    reason: "NoProgress",
    ends: "stalled",
    meaning: "The rollout made no progress within its time, without a visible reason.",
  },
] as const;

type Ends<End> = Extract<(typeof rolloutReasons)[number], { readonly ends: End }>["reason"];

/** Why a rollout counts as healthy. */
export type HealthyReason = Ends<"healthy">;
/** Why a rollout has failed. */
export type FailedReason = Ends<"failed">;
/** Why a rollout makes no progress, although it still may. */
export type StalledReason = Ends<"stalled">;
/** One of `rolloutReasons`. */
export type RolloutReason = (typeof rolloutReasons)[number]["reason"];
