import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { ChangeId, ChangeRecord, HistoryRecord } from "../history/history.ts";

/** What came of one content of a source on all clusters. */
export interface ChangeSummary {
  /** The id over clusters, or that of the one cluster where a record has none. */
  readonly id: string;
  readonly source: SourceRef;
  /** When the first cluster recorded it. */
  readonly time: string;
  /** The field managers that wrote it. */
  readonly actors: readonly string[];
  /** Names of the clusters that have it. */
  readonly clusters: readonly string[];
  /** How many workloads stand where. Their sum is the number of workloads that it concerned. */
  readonly workloads: Readonly<Record<ChangeProgress, number>>;
  /** No workload waits for anything. */
  readonly isDone: boolean;
}

/**
 * Where a workload stands with a change. `unchanged`: nothing had to roll. `rolling`: rolled, and its rollout has not ended.
 */
export type ChangeProgress = "unchanged" | "held" | "rolling" | "healthy" | "failed" | "stalled";

interface ChangeFold {
  readonly first: ChangeRecord;
  readonly actors: Set<string>;
  readonly clusters: Set<string>;
  readonly workloads: Map<string, ChangeProgress>;
}

/** Summarizes records in the order of their times, the newest change first. What refers to a change that is not among them is left out. */
export function summarizeChanges(records: Iterable<HistoryRecord>): readonly ChangeSummary[] {
  const folds = new Map<string, ChangeFold>();
  const foldOf = new Map<ChangeId, ChangeFold>();
  for (const record of records) {
    if (record.type === "operator") continue;
    if (record.type === "change") addChange(record, folds, foldOf);
    else
      for (const { change } of record.sources) {
        const fold = change === undefined ? undefined : foldOf.get(change);
        const progress = progressOf(record);
        const key = `${record.cluster?.id}|${workloadKey(record.workload)}`;
        if (progress !== undefined) fold?.workloads.set(key, progress);
      }
  }
  return [...folds].map(([id, fold]) => summaryOf(id, fold)).toSorted(newestFirst);
}

/** Of one time by id, so that whoever reads on finds the same order. */
function newestFirst(a: ChangeSummary, b: ChangeSummary): number {
  if (a.time !== b.time) return a.time < b.time ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

function addChange(
  record: ChangeRecord,
  folds: Map<string, ChangeFold>,
  foldOf: Map<ChangeId, ChangeFold>,
): void {
  const id = record.fleetChange ?? record.change;
  const made = {
    first: record,
    actors: new Set<string>(),
    clusters: new Set<string>(),
    workloads: new Map(),
  };
  const fold = folds.get(id) ?? made;
  folds.set(id, fold);
  foldOf.set(record.change, fold);
  if (record.actor !== undefined) fold.actors.add(record.actor.manager);
  fold.clusters.add(record.cluster?.name ?? "");
}

function progressOf(
  record: Exclude<HistoryRecord, { type: "operator" | "change" }>,
): ChangeProgress | undefined {
  if (record.type === "outcome") return record.result;
  if (record.type === "action") return record.action === "rolled" ? "rolling" : "failed";
  return record.verdict === "held" ? "held" : record.verdict === "no" ? "unchanged" : undefined;
}

function summaryOf(id: string, { first, actors, clusters, workloads }: ChangeFold): ChangeSummary {
  const counts = { unchanged: 0, held: 0, rolling: 0, healthy: 0, failed: 0, stalled: 0 };
  for (const progress of workloads.values()) counts[progress] += 1;
  return {
    id,
    source: first.source,
    time: first.time,
    actors: [...actors].sort(),
    clusters: [...clusters].sort(),
    workloads: counts,
    isDone: counts.held + counts.rolling + counts.failed + counts.stalled === 0,
  };
}
