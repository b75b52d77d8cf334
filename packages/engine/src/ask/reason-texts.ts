import {
  type NoReason,
  noReasons,
  type UnknownReason,
  type UnservedReason,
  unknownReasons,
  unservedReasons,
  type YesReason,
  yesReasons,
} from "@fleet-reloader/domain/decision/reasons";
import { type HoldReason, holdReasons } from "@fleet-reloader/domain/hold/reasons";
import { type ParkReason, parkReasons } from "@fleet-reloader/domain/park-reasons";
import {
  type RollReason,
  rollReasons,
  type StayReason,
  stayReasons,
} from "@fleet-reloader/domain/plan/reasons";

/** Every reason that an answer may have. */
export type AnsweredReason =
  | YesReason
  | NoReason
  | RollReason
  | StayReason
  | HoldReason
  | ParkReason
  | UnservedReason
  | UnknownReason;

const meanings: ReadonlyMap<string, string> = new Map(
  [
    ...[...yesReasons, ...noReasons, ...rollReasons, ...stayReasons],
    ...[...holdReasons, ...parkReasons, ...unservedReasons, ...unknownReasons],
  ].map(({ reason, meaning }) => [reason, meaning]),
);

/** What a person does about a reason; empty where there is nothing to do. */
const mends: Readonly<Record<AnsweredReason, string>> = {
  NamedByAnnotation: "",
  MatchedBySearch: "",
  AutoEnabled: "",
  AutoEnabledForKind: "",
  AutoReloadAll: "",
  HelmRelease: "",
  SourceIgnored: "Remove the ignore annotation from the source if its changes shall roll the workload.",
  SourceExcluded: "Take its name out of the exclude annotation if its changes shall roll the workload.",
  NotOptedIn:
    'Annotate the workload with reloader.stakater.com/auto: "true", or name the source in an annotation.',
  SourceNotMatched: 'Annotate the source with reloader.stakater.com/match: "true".',
  NotReferenced: "Reference the source in the pod template, or name it in an annotation.",
  TemplateOwnerReloaded: "Ask about the Deployment that it refers to.",
  SourceChanged: "",
  LateOptionalReference: "",
  SourceCreated: "",
  SourceDeleted: "",
  ChangedBeforeAdoption: "",
  ChangedAfterStart: "",
  ContentUnchanged: "",
  WorkloadSuspended: "Resume it, or set --reload-suspended.",
  RanSinceChange: "",
  WorkloadFinished: "Create the Job again, or set --reload-finished.",
  OwnedByAnother:
    "Ask about the object that controls it if that is a CronJob. Otherwise let that object make the Job again.",
  Frozen: "Lift the freeze with unfreeze, or wait for its end.",
  FrozenByAnnotation: "Remove the annotation fleet-reloader.io/freeze.",
  FreezeUnreadable: "Mend the freeze document, which is named below.",
  SourceLooping: "Find out what rewrites the source: its history names the writers.",
  WorkloadLooping: "Find out what changes its sources: the history names the writers.",
  BudgetRate: "Wait, or raise the budget of rolls.",
  BudgetUnfinished: "Look at the unfinished rollouts, which are named below, or raise the budget.",
  RunActive: "Wait for the end of its Job, which is named below, or set --reload-concurrent.",
  ClusterUnknown: "Wait for a worker to connect to the cluster, or check its registration.",
  ClusterUnreachable: "Check the API server of the cluster and the route to it.",
  ClusterFailing: "Check the API server of the cluster.",
  ClusterBusy: "Wait, or add workers.",
  WorkloadsNotListed: "Wait for a watcher to be ready, and give --redis-url.",
  RolloutUnfinished: "",
  JobTerminating: "Look at the finalizers of the Job if it lasts.",
  WorkloadGone: "Check kind, name, namespace and context.",
  KindNotServed: "Check --workload-kinds and --ignored-workload-types.",
  NamespaceNotServed: "Check the flags and the labels that select namespaces.",
  StashOfJob: "Ask about the Job that it stores.",
  KeyUnknown: "Give the file of the workers with --mark-key-file.",
  SourceKindNotServed: "Check the flags that select kinds of sources.",
};

/** A reason with its meaning and what to do. A reason of another version has no text and is shown alone. */
export function reasonText(reason: string): string {
  const parts = [`${reason}.`, meanings.get(reason) ?? "", isAnswered(reason) ? mends[reason] : ""];
  return parts.filter((part) => part !== "").join(" ");
}

function isAnswered(reason: string): reason is AnsweredReason {
  return Object.hasOwn(mends, reason);
}
