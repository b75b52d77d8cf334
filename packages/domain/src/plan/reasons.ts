/** Why a source makes a workload roll now, each with its meaning in one sentence. Closed list (decision 14). */
export const rollReasons = [
  { reason: "SourceChanged", meaning: "The content differs from what the workload's pods carry." },
  {
    reason: "LateOptionalReference",
    meaning: "A source that the pods reference as optional appeared after they were made.",
  },
  {
    reason: "SourceCreated",
    meaning:
      "A source is there now that was noted as missing, or was made while the pods ran, and appearing counts as a change (--reload-on-create).",
  },
  {
    reason: "SourceDeleted",
    meaning: "A source that the pods carry is gone, and going counts as a change (--reload-on-delete).",
  },
  {
    reason: "ChangedBeforeAdoption",
    meaning: "The content differs from the mark another reloader left on the workload.",
  },
  {
    reason: "ChangedAfterStart",
    meaning:
      "The content was written after the workload's pods may have started, and before the workload was looked at: no note tells what they read.",
  },
] as const;

/** Why a workload whose source was written lately is left as it is, each with its meaning in one sentence. Closed list. */
export const stayReasons = [
  {
    reason: "ContentUnchanged",
    meaning: "The workload's pods carry what its sources contain, in all that matters to it.",
  },
  {
    reason: "WorkloadSuspended",
    meaning: "The workload is suspended: what runs later reads what is there then.",
  },
  { reason: "WorkloadFinished", meaning: "The Job has run, and runs no more." },
  { reason: "OwnedByAnother", meaning: "Another object makes the workload anew; that one is looked at." },
] as const;

/** One of `stayReasons`. */
export type StayReason = (typeof stayReasons)[number]["reason"];

/** One of `rollReasons`. */
export type RollReason = (typeof rollReasons)[number]["reason"];
