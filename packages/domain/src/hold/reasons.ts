/** Why a roll that is due is not made now, each with its meaning in one sentence. Closed list. */
export const holdReasons = [
  {
    reason: "Frozen",
    meaning:
      "A declared freeze of the fleet, the cluster, the namespace, the workload or a changed source is in force.",
  },
  {
    reason: "FrozenByAnnotation",
    meaning: "The workload or a changed source says of itself that it is frozen.",
  },
  {
    reason: "FreezeUnreadable",
    meaning: "What is frozen cannot be read, so nothing is rolled until it can.",
  },
  {
    reason: "SourceLooping",
    meaning:
      "The content of a source keeps changing: its breaker is open, and its newest content is rolled later.",
  },
  {
    reason: "WorkloadLooping",
    meaning:
      "The workload was rolled too often: its breaker is open, and the newest content is rolled later.",
  },
  {
    reason: "BudgetRate",
    meaning: "The budget of rolls for this time is spent; the workload waits for its turn.",
  },
  {
    reason: "BudgetUnfinished",
    meaning: "As many rollouts as the budget allows are not finished yet; the workload waits for its turn.",
  },
] as const;

/** One of `holdReasons`. */
export type HoldReason = (typeof holdReasons)[number]["reason"];
