/** Why a request waits in the queue although nothing holds its roll. A log line and a metric name these reasons, too. */
export const parkReasons = [
  { reason: "ClusterUnknown", meaning: "The worker has no connection to the cluster of a request yet." },
  {
    reason: "ClusterUnreachable",
    meaning: "The cluster does not answer its probes; its requests are parked.",
  },
  {
    reason: "ClusterFailing",
    meaning:
      "The cluster did not accept the last probe, failed several requests in a row, or looks hung; its requests are parked, and tried now and then.",
  },
  { reason: "ClusterBusy", meaning: "The cluster's share of the worker's slots is taken." },
  {
    reason: "WorkloadsNotListed",
    meaning: "The first list of the cluster's workloads is not complete, so the earlier state is not known.",
  },
  { reason: "RolloutUnfinished", meaning: "A followed rollout is still under way." },
  { reason: "JobTerminating", meaning: "A Job that is being recreated is still being deleted." },
] as const;

export type ParkReason = (typeof parkReasons)[number]["reason"];
