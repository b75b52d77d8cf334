/**
 * The state of a cluster. `Alias`: another registration of the same cluster is engaged, and this one stands by. `Degraded`: the cluster is
 * served with problems. `Forbidden`: it rejects our credentials or denies a right that we need.
 */
export const clusterStates = [
  "Discovered",
  "Connecting",
  "Syncing",
  "Ready",
  "Degraded",
  "Unreachable",
  "Forbidden",
  "Paused",
  "Alias",
  "Gone",
] as const;

export type ClusterState = (typeof clusterStates)[number];

/** Sick states, worst first. A paused cluster is intended; an alias is another registration of a served cluster. */
export const sickStates: readonly string[] = [
  "Unreachable",
  "Forbidden",
  "Degraded",
  "Connecting",
  "Discovered",
  "Syncing",
] satisfies readonly ClusterState[];

/** The place of a state among the sick ones, 0 for the worst; all others share the last place. */
export function severityOfState(state: ClusterState | undefined): number {
  const at = sickStates.indexOf(state ?? "");
  return at < 0 ? sickStates.length : at;
}

/** A state and its reasons, one a line. There are none if the state says it all. */
export interface ClusterStatus {
  readonly state: ClusterState;
  readonly why: readonly string[];
}

/** What people see of a cluster beside its state: its problems, or why it is paused or stands by for another registration, which is no problem. */
export function remarksOnCluster({
  problems,
  status,
}: {
  readonly problems: readonly string[];
  readonly status?: ClusterStatus | undefined;
}): readonly string[] {
  return problems.length > 0 ? problems : (status?.why ?? []);
}

/** What is known of a cluster. The state is derived from it, so no fact is lost while a worse one is shown. */
export interface ClusterFacts {
  readonly phase: "discovered" | "connecting" | "engaged" | "alias" | "paused" | "gone";
  /** Why it is in its phase, if anything gave a reason. */
  readonly note: string;
  /** The failure of the last attempt; undefined after a success. */
  readonly failure: { readonly type: "unreachable" | "refused"; readonly why: string } | undefined;
  readonly misses: number;
  readonly sync: "none" | "running" | "late" | "done";
  readonly missingRights: readonly string[];
  /** Changes that a list found but no hint reported, one a line. */
  readonly missedHints: readonly string[];
  /** Why the work on the cluster has failed, until it begins again. */
  readonly workFailure: string | undefined;
}

/** What can happen to a cluster, or become known about it. */
export type ClusterEvent = PhaseChange | Finding;

type PhaseChange =
  | { readonly type: "connecting" }
  /** It answered with its identity. */
  | { readonly type: "engaged" }
  /** Another registration of the same cluster is in use; `of` names it for people. */
  | { readonly type: "alias"; readonly of: string }
  | { readonly type: "paused"; readonly why: string }
  /** No connection is possible: the registration cannot be used, and no earlier one is in use. */
  | { readonly type: "unusable"; readonly why: string }
  | { readonly type: "removed" };

type Finding =
  /** An attempt or a probe without a useful answer. */
  | { readonly type: "missed"; readonly why: string }
  /** The cluster rejects our credentials. */
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "heard" }
  | { readonly type: "sync-began" }
  | { readonly type: "sync-late" }
  | { readonly type: "synced" }
  | { readonly type: "rights"; readonly missing: readonly string[] }
  | { readonly type: "hints-missed"; readonly lines: readonly string[] }
  /** The work on the cluster has failed. Without `failure` it begins. */
  | { readonly type: "work"; readonly failure: string | undefined };

/** The initial facts of each cluster. */
export const discovered: ClusterFacts = {
  phase: "discovered",
  note: "",
  failure: undefined,
  misses: 0,
  sync: "none",
  missingRights: [],
  missedHints: [],
  workFailure: undefined,
};

/** After this many probes in a row without an answer a cluster counts as unreachable, as in Cluster API's ClusterCache. */
export const missesMax = 5;

/** The facts after an event. A new phase discards the findings of the previous one. */
export function afterEvent(facts: ClusterFacts, event: ClusterEvent): ClusterFacts {
  // Late events from the work on a removed cluster change nothing.
  if (facts.phase === "gone") return facts;
  switch (event.type) {
    case "connecting":
      return { ...discovered, phase: "connecting", failure: facts.failure };
    case "engaged":
      return { ...discovered, phase: "engaged" };
    case "alias":
      return { ...discovered, phase: "alias", note: event.of };
    case "paused":
      return { ...discovered, phase: "paused", note: event.why };
    case "unusable":
      return { ...discovered, note: event.why };
    case "removed":
      return { ...discovered, phase: "gone" };
    default:
      return afterFinding(facts, event);
  }
}

function afterFinding(facts: ClusterFacts, event: Finding): ClusterFacts {
  switch (event.type) {
    case "missed":
      return { ...facts, misses: facts.misses + 1, failure: { type: "unreachable", why: event.why } };
    case "refused":
      return { ...facts, misses: 0, failure: { type: "refused", why: event.why } };
    case "heard":
      return facts.failure === undefined ? facts : { ...facts, misses: 0, failure: undefined };
    case "sync-began":
      return { ...facts, sync: "running" };
    case "sync-late":
      return facts.sync === "running" ? { ...facts, sync: "late" } : facts;
    case "synced":
      return { ...facts, sync: "done" };
    case "rights":
      return { ...facts, missingRights: event.missing };
    case "hints-missed":
      return { ...facts, missedHints: event.lines };
    case "work":
      return { ...facts, workFailure: event.failure };
  }
}

const nothingReached = "not connected yet";

/** The state that follows from the facts. The worst fact wins. */
export function clusterStatusOf(facts: ClusterFacts): ClusterStatus {
  const { failure, phase } = facts;
  switch (phase) {
    case "gone":
      return { state: "Gone", why: [] };
    case "paused":
      return { state: "Paused", why: [facts.note] };
    case "alias":
      return { state: "Alias", why: [`it is the cluster ${facts.note}`] };
    case "discovered":
      return { state: "Discovered", why: [facts.note === "" ? nothingReached : facts.note] };
    case "connecting":
      if (failure === undefined) return { state: "Connecting", why: [nothingReached] };
      return { state: failure.type === "refused" ? "Forbidden" : "Unreachable", why: [failure.why] };
    case "engaged":
      return engagedStatus(facts);
  }
}

function engagedStatus(facts: ClusterFacts): ClusterStatus {
  const { failure, misses, missedHints, missingRights, sync, workFailure } = facts;
  if (failure?.type === "refused") return { state: "Forbidden", why: [failure.why] };
  if (failure !== undefined)
    return { state: misses >= missesMax ? "Unreachable" : "Degraded", why: [failure.why] };
  if (missingRights.length > 0) return { state: "Forbidden", why: missingRights };
  if (workFailure !== undefined) return { state: "Degraded", why: [workFailure] };
  // The streams themselves report, line by line, what is not in sync yet and why.
  if (sync === "running") return { state: "Syncing", why: [] };
  if (sync === "late") return { state: "Degraded", why: ["its first lists are not complete yet"] };
  return { state: missedHints.length > 0 ? "Degraded" : "Ready", why: missedHints };
}
