/** Why a roll that is due is not made now, each with its meaning. Closed list. */
export const holdReasons = [
  {
    reason: "Frozen",
    meaning:
      "A declared freeze of the fleet, the cluster, the namespace, the workload or a changed source is in force.",
  },
  { reason: "FrozenByAnnotation", meaning: "An annotation freezes the workload or a changed source." },
  { reason: "FreezeUnreadable", meaning: "The freezes cannot be read, so nothing is rolled until they can." },
  {
    reason: "SourceLooping",
    meaning:
      "The content of a source keeps changing. Its breaker is open, and its newest content is rolled later.",
  },
  {
    reason: "WorkloadLooping",
    meaning:
      "The workload was rolled too often. Its breaker is open, and the newest content is rolled later.",
  },
  {
    reason: "BudgetRate",
    meaning: "The budget of rolls for this period is spent; the workload waits for its turn.",
  },
  {
    reason: "BudgetUnfinished",
    meaning: "The maximum number of unfinished rollouts is reached; the workload waits for its turn.",
  },
  {
    reason: "RunActive",
    meaning:
      "The CronJob forbids concurrent runs (concurrencyPolicy: Forbid), and one of its Jobs has not ended. It is run after that, unless its schedule runs it first.",
  },
] as const;

/** One of `holdReasons`. */
export type HoldReason = (typeof holdReasons)[number]["reason"];
