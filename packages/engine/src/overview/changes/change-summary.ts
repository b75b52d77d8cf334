import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { CausingSource } from "../../history/history.ts";
import type { ClusterId } from "../../ports/request.ts";

/** The progress of one content of a source on all clusters. */
export interface ChangeSummary {
  /** The fleet-wide id, or the id in its cluster for a record without one. */
  readonly id: string;
  readonly source: SourceRef;
  /** When the first cluster recorded it. */
  readonly time: string;
  /** The field managers that wrote it. If an audit event named a user, the user and "with" come first. */
  readonly actors: readonly string[];
  /** Names of the clusters that have it. */
  readonly clusters: readonly string[];
  /** The number of these clusters. */
  readonly clusterCount: number;
  /** The number of workloads in each state. The sum is the number of workloads that the change concerned. */
  readonly workloads: Readonly<Record<ChangeProgress, number>>;
  /** No workload waits for anything. */
  readonly isDone: boolean;
}

/**
 * The state of a workload with a change. `unchanged`: nothing had to roll. `rolling`: rolled, and its rollout has not ended. `discarded`:
 * its roll failed or stalled, and an operator gave it up. `superseded`: its roll failed or stalled, and a later roll of the workload is
 * healthy. `gone`: the workload was deleted before it ended.
 */
export type ChangeProgress = (typeof changeProgresses)[number];

/** States that need a person come first. */
export const changeProgresses = [
  "failed",
  "stalled",
  "held",
  "rolling",
  "healthy",
  "discarded",
  "superseded",
  "gone",
  "unchanged",
] as const;

/** The state of one workload with a change. */
export interface ChangedWorkload {
  /** The display name of its cluster. */
  readonly cluster: string;
  readonly clusterId: ClusterId;
  readonly workload: WorkloadRef;
  readonly progress: ChangeProgress;
  /** The reason of the decision or the outcome, or the fault of a failed write. */
  readonly reason?: string | undefined;
  /** The message of the rollout for people. */
  readonly message?: string | undefined;
  /** When it reached this state, as RFC 3339 in UTC. */
  readonly time: string;
}

/** The same with the sources of its last record. */
export interface FoldedWorkload extends ChangedWorkload {
  readonly sources: readonly CausingSource[];
}

/** A change, and the state of each workload with it. */
export interface ChangeDetails {
  readonly change: ChangeSummary;
  /** States that need a person come first, then by cluster and name. */
  readonly workloads: readonly ChangedWorkload[];
}

/** Selects changes; an absent or empty field matches any. */
export interface AskedChanges {
  readonly namespace?: string;
  /** The name of the source, or of a workload that the change concerned. */
  readonly name?: string;
  /** Its fleet-wide id, or its id in one cluster. */
  readonly change?: string;
}

/** The progress of the changes of some time. */
export interface FoldedChanges {
  /** Newest change first. Absent: all changes. */
  readonly summaries: (asked?: AskedChanges) => readonly ChangeSummary[];
  /** One change by its fleet-wide id or its id in one cluster; undefined: it is not among them. */
  readonly details: (id: string) => ChangeDetails | undefined;
  /** The workloads whose last roll for one of the changes failed or stalled, each once. A decision not to roll is no roll. */
  readonly unsuccessful: () => readonly FoldedWorkload[];
}
