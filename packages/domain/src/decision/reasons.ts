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
  {
    reason: "HelmRelease",
    meaning: "Helm stores a release in this Secret (sh.helm.release.v1.…). No change of it rolls a workload.",
  },
  { reason: "SourceIgnored", meaning: "The source has the ignore annotation, which overrides everything." },
  {
    reason: "SourceExcluded",
    meaning: "The workload excludes the source by name, which overrides naming it.",
  },
  { reason: "NotOptedIn", meaning: "No annotation of the workload asks for a reload for this source." },
  {
    reason: "SourceNotMatched",
    meaning: "The workload has the search annotation, and the source does not have the match annotation.",
  },
  {
    reason: "NotReferenced",
    meaning: "The workload asks for sources it references, and its pod template does not reference this one.",
  },
  {
    reason: "TemplateOwnerReloaded",
    meaning:
      "The Deployment that the Rollout refers to is reloaded for the source, which rolls the Rollout too.",
  },
] as const;

/** Why no worker decides on a workload or counts a source, each with its meaning. Shown to people. Closed list. */
export const unservedReasons = [
  { reason: "WorkloadGone", meaning: "There is no such workload, or it is being deleted." },
  { reason: "KindNotServed", meaning: "Workloads of this kind are not served." },
  { reason: "NamespaceNotServed", meaning: "The namespace is not served." },
  {
    reason: "StashOfJob",
    meaning: "This is the stored copy of a Job that is being recreated. The Job itself is served.",
  },
] as const;

/** Why the decision of a worker is unknown here, or why a source is not checked. */
export const unknownReasons = [
  {
    reason: "KeyUnknown",
    meaning: "The applied state on the workload was written with a key that is not known here.",
  },
  { reason: "SourceKindNotServed", meaning: "Sources of this kind are not served." },
] as const;

/** One of `unservedReasons`. */
export type UnservedReason = (typeof unservedReasons)[number]["reason"];

/** One of `unknownReasons`. */
export type UnknownReason = (typeof unknownReasons)[number]["reason"];

/** One of `yesReasons`. */
export type YesReason = (typeof yesReasons)[number]["reason"];

/** One of `noReasons`. */
export type NoReason = (typeof noReasons)[number]["reason"];

export function isNoReason(reason: string): reason is NoReason {
  return noReasons.some((one) => one.reason === reason);
}
