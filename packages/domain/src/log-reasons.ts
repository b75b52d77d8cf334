/**
 * Reasons of log lines, of metrics of parked requests and of queue entries that are said nowhere else, each with its meaning in one
 * sentence. Faults have codes of their own.
 */
export const logReasons = [
  {
    reason: "FreezeIdle",
    meaning: "A declared freeze is about a cluster that nobody has registered, and covers nothing.",
  },
  {
    reason: "RegistrationPaused",
    meaning: "Whoever registered a cluster has paused it; it is served when the pause ends.",
  },
  {
    reason: "RegistrationUnusable",
    meaning:
      "A registration names no cluster that can be reached as it says; `why` names object, key and mend. What it was before is used on.",
  },
  {
    reason: "ResourceAbsent",
    meaning: "The cluster does not have a kind of object; it is looked for again, and nothing waits for it.",
  },
  {
    reason: "StashUnreadable",
    meaning: "A Job that was put aside to be made anew cannot be read; it is left alone.",
  },
  {
    reason: "OldKeyForgotten",
    meaning: "A worker was started with --forget-old-keys: notes of another key count no more.",
  },
  { reason: "ClusterUnknown", meaning: "A worker has no connection to the cluster of a request yet." },
  {
    reason: "ClusterUnreachable",
    meaning: "The cluster does not answer its probes; its requests are parked.",
  },
  {
    reason: "ClusterFailing",
    meaning: "The cluster failed requests one after the other, or looks hung; one goes through now and then.",
  },
  { reason: "ClusterBusy", meaning: "The share that the cluster has of a worker is taken." },
  {
    reason: "WorkloadsNotListed",
    meaning: "The first list of the cluster's workloads is not complete: what was there before is not known.",
  },
  { reason: "RolloutUnfinished", meaning: "A rollout that is followed goes on." },
  { reason: "JobTerminating", meaning: "A Job that is made anew is still being deleted." },
] as const;
