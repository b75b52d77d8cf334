/** Why a change of a source rolls a workload, each with its meaning. Closed list (decision 14). */
export const yesReasons = [
  {
    reason: "NamedByAnnotation",
    meaning: "An annotation of the workload names the source; no reference is needed.",
  },
  {
    reason: "MatchedBySearch",
    meaning: "The workload has the search annotation, and the source it references has the match annotation.",
  },
  { reason: "AutoEnabled", meaning: "The workload is reloaded for every source it references." },
  {
    reason: "AutoEnabledForKind",
    meaning: "The workload is reloaded for every source of this kind that it references.",
  },
  {
    reason: "AutoReloadAll",
    meaning:
      "The workload has no auto annotation, and with --auto-reload-all such workloads are reloaded for every source they reference.",
  },
] as const;

/** Why a change of a source does not roll a workload. Closed list (decision 14). */
export const noReasons = [
  { reason: "SourceIgnored", meaning: "The source has the ignore annotation, which overrides everything." },
  {
    reason: "SourceExcluded",
    meaning: "The workload excludes the source by name, which overrides naming it.",
  },
  { reason: "NotOptedIn", meaning: "No annotation of the workload asks for a reload for this source." },
  {
    reason: "NotReferenced",
    meaning: "The workload asks for sources it references, and its pod template does not reference this one.",
  },
] as const;

/** One of `yesReasons`. */
export type YesReason = (typeof yesReasons)[number]["reason"];

/** One of `noReasons`. */
export type NoReason = (typeof noReasons)[number]["reason"];
