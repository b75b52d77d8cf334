/** Why a source makes a workload roll now, each with its meaning. Closed list (decision 14). */
export const rollReasons = [
  { reason: "SourceChanged", meaning: "The content differs from the applied state of the workload." },
  {
    reason: "LateOptionalReference",
    meaning: "A source that the pods reference as optional appeared after the pods were created.",
  },
  {
    reason: "SourceCreated",
    meaning:
      "A source exists that was recorded as missing or was created while the pods ran, and creation counts as a change (--reload-on-create).",
  },
  {
    reason: "SourceDeleted",
    meaning: "A source that the pods run with is gone, and deletion counts as a change (--reload-on-delete).",
  },
  {
    reason: "ChangedBeforeAdoption",
    meaning: "The content differs from the mark that another reloader left on the workload.",
  },
  {
    reason: "ChangedAfterStart",
    meaning:
      "The content was written after pods that still run may have started: before the first observation of the workload, or under a later template than theirs, which was undone.",
  },
] as const;

/** Why a workload does not roll although its source was written lately, each with its meaning. Closed list. */
export const stayReasons = [
  {
    reason: "ContentUnchanged",
    meaning: "The pods run with the current content of every key that matters to the workload.",
  },
  {
    reason: "WorkloadSuspended",
    meaning: "The workload is suspended. Its next run reads the current content.",
  },
  {
    reason: "RanSinceChange",
    meaning:
      "The schedule of the CronJob has run it since the change. That run has read the current content.",
  },
  { reason: "WorkloadFinished", meaning: "The Job has finished." },
  {
    reason: "OwnedByAnother",
    meaning:
      "Another object controls the Job, so the Job is left to it: the pods keep the content that they have read, and the next Job that is made reads the current one.",
  },
] as const;

/** One of `stayReasons`. */
export type StayReason = (typeof stayReasons)[number]["reason"];

/** One of `rollReasons`. */
export type RollReason = (typeof rollReasons)[number]["reason"];
