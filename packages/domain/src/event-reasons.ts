/** What an Event on a workload is about, each with its meaning in one sentence. The first two are the peer's. Closed list. */
export const eventReasons = [
  { reason: "Reloaded", meaning: "The pod template was changed, for the sources the message names." },
  {
    reason: "ReloadFail",
    meaning:
      "A change could not be brought to the pods, or what they carry not be noted; the message names the fault. It is tried again if that may help.",
  },
  {
    reason: "RolloutFailed",
    meaning:
      "The rollout that followed a reload has failed; the message says why, in the words of the controllers.",
  },
  {
    reason: "RolloutStalled",
    meaning: "The rollout that followed a reload has not ended in time, and nothing says that it failed.",
  },
  {
    reason: "AnnotationUnreadable",
    meaning:
      "An annotation of the workload does not say what its writer meant; the message says what to write.",
  },
  {
    reason: "NamedSourceMissing",
    meaning:
      "An annotation of the workload names a source that does not exist and that its pod template does not reference; the message says which name was probably meant.",
  },
  {
    reason: "ReloadHeld",
    meaning:
      "A change waits: something is frozen, or a breaker is open. The message says why; it is looked at again by itself.",
  },
  {
    reason: "ClusterClaimed",
    meaning:
      "On the namespace kube-system: another registration claims to be this cluster from another address. It is not served; the message names both.",
  },
] as const;

/** One of `eventReasons`. */
export type EventReason = (typeof eventReasons)[number]["reason"];
