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
      "A source that was noted as missing is there now, and appearing counts as a change (--reload-on-create).",
  },
  {
    reason: "SourceDeleted",
    meaning: "A source that the pods carry is gone, and going counts as a change (--reload-on-delete).",
  },
  {
    reason: "ChangedBeforeAdoption",
    meaning: "The content differs from the mark another reloader left on the workload.",
  },
] as const;

/** One of `rollReasons`. */
export type RollReason = (typeof rollReasons)[number]["reason"];
