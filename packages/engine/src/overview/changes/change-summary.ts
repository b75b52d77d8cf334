import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { CausingSource } from "../../history/history.ts";
import type { ClusterId } from "../../ports/request.ts";

/** What came of one content of a source on all clusters. */
export interface ChangeSummary {
  /** The id over clusters, or that of the one cluster where a record has none. */
  readonly id: string;
  readonly source: SourceRef;
  /** When the first cluster recorded it. */
  readonly time: string;
  /** Who wrote it: the field manager, after the user and "with" where an audit event told of one. */
  readonly actors: readonly string[];
  /** Names of the clusters that have it. */
  readonly clusters: readonly string[];
  /** How many these are. */
  readonly clusterCount: number;
  /** How many workloads stand where. Their sum is the number of workloads that it concerned. */
  readonly workloads: Readonly<Record<ChangeProgress, number>>;
  /** No workload waits for anything. */
  readonly isDone: boolean;
}

/**
 * Where a workload stands with a change. `unchanged`: nothing had to roll. `rolling`: rolled, and its rollout has not ended. `discarded`: its
 * roll failed or stalled, and an operator wants nothing more of it. `superseded`: its roll failed or stalled, and a later roll of the
 * workload is healthy. `gone`: the workload was deleted before it ended.
 */
export type ChangeProgress = (typeof changeProgresses)[number];

/** What needs somebody comes first. */
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

/** Where one workload stands with a change. */
export interface ChangedWorkload {
  /** What people call its cluster. */
  readonly cluster: string;
  readonly clusterId: ClusterId;
  readonly workload: WorkloadRef;
  readonly progress: ChangeProgress;
  /** Of the decision or the outcome, or the fault of a failed write. */
  readonly reason?: string | undefined;
  /** What the rollout says for people. */
  readonly message?: string | undefined;
  /** When it got there, as RFC 3339 in UTC. */
  readonly time: string;
}

/** The same with the sources that its last record is about. */
export interface FoldedWorkload extends ChangedWorkload {
  readonly sources: readonly CausingSource[];
}

/** A change, and where each workload stands with it. */
export interface ChangeDetails {
  readonly change: ChangeSummary;
  /** What needs somebody comes first, then by cluster and name. */
  readonly workloads: readonly ChangedWorkload[];
}

/** Which changes are asked for; what is absent or empty does not matter. */
export interface AskedChanges {
  readonly namespace?: string;
  /** Of the source, or of a workload that the change concerned. */
  readonly name?: string;
  /** Its id over clusters, or in one. */
  readonly change?: string;
}

/** What came of the changes of some time. */
export interface FoldedChanges {
  /** The newest change first. Absent: all. */
  readonly summaries: (asked?: AskedChanges) => readonly ChangeSummary[];
  /** One change by its id over clusters or in one; undefined: it is not among them. */
  readonly details: (id: string) => ChangeDetails | undefined;
  /** The workloads whose last roll for one of the changes failed or stalled, each once. A decision not to roll is no roll. */
  readonly unsuccessful: () => readonly FoldedWorkload[];
}
