/** Reasons of Events on a workload, each with its meaning. The first two are those of the peer. Closed list. */
export const eventReasons = [
  { reason: "Reloaded", meaning: "The pod template was changed, for the sources the message names." },
  {
    reason: "ReloadFail",
    meaning:
      "A roll failed, or the applied state could not be recorded. The message names the fault. It is retried if a retry may help.",
  },
  {
    reason: "RolloutFailed",
    meaning: "The rollout after a reload failed. The message is that of the controllers.",
  },
  {
    reason: "RolloutStalled",
    meaning: "The rollout after a reload did not end in time, and nothing shows that it failed.",
  },
  {
    reason: "AnnotationUnreadable",
    meaning: "An annotation of the workload cannot be read; the message says what to write.",
  },
  {
    reason: "NamedSourceMissing",
    meaning:
      "An annotation of the workload names a source that does not exist and that its pod template does not reference; the message says which name was probably meant.",
  },
  {
    reason: "LintFinding",
    meaning:
      "A rule of `lint` finds a mistake in the workload. The message names the rule and says what to write; docs/lint.md explains it.",
  },
  {
    reason: "ReloadHeld",
    meaning:
      "A change waits because of a freeze, a breaker, a budget or an active run of a CronJob. The message says why. It is checked again by itself.",
  },
  {
    reason: "ClusterClaimed",
    meaning:
      "On the namespace kube-system: a registration with another address claims to be this cluster. It is not served; the message names both.",
  },
] as const;

/** One of `eventReasons`. */
export type EventReason = (typeof eventReasons)[number]["reason"];
