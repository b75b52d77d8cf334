import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { CausingSource, ChangeId, ChangeRecord, HistoryRecord } from "../history/history.ts";
import type { ClusterId } from "../ports/request.ts";

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
  /** How many workloads stand where. Their sum is the number of workloads that it concerned. */
  readonly workloads: Readonly<Record<ChangeProgress, number>>;
  /** No workload waits for anything. */
  readonly isDone: boolean;
}

/**
 * Where a workload stands with a change. `unchanged`: nothing had to roll. `rolling`: rolled, and its rollout has not ended. `discarded`: its
 * roll failed or stalled, and an operator wants nothing more of it.
 */
export type ChangeProgress =
  | "unchanged"
  | "held"
  | "rolling"
  | "healthy"
  | "failed"
  | "stalled"
  | "discarded";

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

interface ChangeFold {
  readonly first: ChangeRecord;
  /** Of each change in one cluster. */
  readonly actors: Map<ChangeId, readonly string[]>;
  readonly clusters: Set<string>;
  readonly workloads: Map<string, FoldedWorkload>;
}

/** Summarizes records in the order of their times, the newest change first. What refers to a change that is not among them is left out. */
export function summarizeChanges(records: Iterable<HistoryRecord>): readonly ChangeSummary[] {
  return [...foldChanges(records).folds].map(([id, fold]) => summaryOf(id, fold)).toSorted(newestFirst);
}

/** One change by its id over clusters or in one; undefined: it is not among the records. */
export function changeDetails(records: Iterable<HistoryRecord>, id: string): ChangeDetails | undefined {
  const { folds, foldOf } = foldChanges(records);
  const fold = folds.get(id) ?? foldOf.get(id);
  if (fold === undefined) return undefined;
  const { fleetChange, change } = fold.first;
  const workloads = [...fold.workloads.values()]
    .toSorted(
      (a, b) =>
        urgencies.indexOf(a.progress) - urgencies.indexOf(b.progress) ||
        compareTexts(workloadPlace(a), workloadPlace(b)),
    )
    .map(({ sources: _, ...changed }): ChangedWorkload => changed);
  return { change: summaryOf(fleetChange ?? change, fold), workloads };
}

/** The workloads whose last roll for a change of the records failed or stalled, each once. A decision not to roll is no roll. */
export function unsuccessfulWorkloads(records: Iterable<HistoryRecord>): readonly FoldedWorkload[] {
  const latest = new Map<string, FoldedWorkload>();
  for (const fold of foldChanges(records).folds.values()) {
    for (const [key, one] of fold.workloads) {
      const before = latest.get(key);
      const isRoll = one.progress !== "unchanged" && one.progress !== "held";
      if (isRoll && (before === undefined || before.time <= one.time)) latest.set(key, one);
    }
  }
  return [...latest.values()].filter(isUnsuccessful);
}

function isUnsuccessful({ progress }: Pick<ChangedWorkload, "progress">): boolean {
  return progress === "failed" || progress === "stalled";
}

/** What needs somebody first. */
const urgencies: readonly ChangeProgress[] = [
  "failed",
  "stalled",
  "held",
  "rolling",
  "healthy",
  "discarded",
  "unchanged",
];

function workloadPlace({ cluster, workload }: ChangedWorkload): string {
  return `${cluster}|${workloadKey(workload)}`;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By the id over clusters, and by that in one cluster. */
interface ChangeFolds {
  readonly folds: ReadonlyMap<string, ChangeFold>;
  readonly foldOf: ReadonlyMap<ChangeId, ChangeFold>;
}

function foldChanges(records: Iterable<HistoryRecord>): ChangeFolds {
  const folds = new Map<string, ChangeFold>();
  const foldOf = new Map<ChangeId, ChangeFold>();
  const rolling = new Map<string, Set<ChangeFold>>();
  const failing = new Map<string, Set<ChangeFold>>();
  for (const record of records) {
    if (record.type === "operator") continue;
    if (record.type === "change") addChange(record, folds, foldOf);
    else addWorkload(record, foldOf, { rolling, failing });
  }
  return { folds, foldOf };
}

/** By workload, the changes that it rolls for, and those that it failed for. */
interface OpenFolds {
  readonly rolling: Map<string, Set<ChangeFold>>;
  readonly failing: Map<string, Set<ChangeFold>>;
}

/**
 * A workload that is rolled again while it rolls has one rollout, the newest: how it ends is how it ends for every change that the workload
 * was rolling for. What was discarded is so for every change that it failed for.
 */
function addWorkload(
  record: WorkloadRecordOfChange,
  foldOf: ReadonlyMap<ChangeId, ChangeFold>,
  { failing, rolling }: OpenFolds,
): void {
  const changed = changedWorkload(record);
  if (changed === undefined) return;
  const key = `${record.cluster?.id}|${workloadKey(record.workload)}`;
  const concerned =
    changed.progress === "discarded"
      ? failedFolds(failing.get(key) ?? [], key)
      : mentionedFolds(record, foldOf, record.type === "outcome" ? rolling.get(key) : undefined);
  for (const fold of concerned) fold.workloads.set(key, changed);
  if (isUnsuccessful(changed)) addFolds(failing, key, concerned);
  if (changed.progress === "rolling") addFolds(rolling, key, concerned);
  else if (record.type === "outcome") rolling.delete(key);
}

function failedFolds(failing: Iterable<ChangeFold>, key: string): Set<ChangeFold> {
  const isFailed = ({ workloads }: ChangeFold) => {
    const its = workloads.get(key);
    return its !== undefined && isUnsuccessful(its);
  };
  return new Set([...failing].filter(isFailed));
}

/** Those that a record names, and these. */
function mentionedFolds(
  { sources }: Pick<WorkloadRecordOfChange, "sources">,
  foldOf: ReadonlyMap<ChangeId, ChangeFold>,
  others: Iterable<ChangeFold> = [],
): Set<ChangeFold> {
  const folds = new Set<ChangeFold>();
  for (const { change } of sources) {
    const fold = foldOf.get(change ?? "");
    if (fold !== undefined) folds.add(fold);
  }
  for (const fold of others) folds.add(fold);
  return folds;
}

/** The set becomes the map's own where there is none yet: most workloads have one change. */
function addFolds(open: Map<string, Set<ChangeFold>>, key: string, folds: Set<ChangeFold>): void {
  const before = open.get(key);
  if (before === undefined) open.set(key, folds);
  else for (const fold of folds) before.add(fold);
}

/** Those of the same time are ordered by id, so that the next page continues the same order. */
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
    actors: new Map<ChangeId, readonly string[]>(),
    clusters: new Set<string>(),
    workloads: new Map(),
  };
  const fold = folds.get(id) ?? made;
  folds.set(id, fold);
  foldOf.set(record.change, fold);
  // Of several records that which names more users says more.
  const texts = record.actor === undefined ? [] : actorTexts(record.actor);
  const before = fold.actors.get(record.change);
  if (before === undefined || (record.actor?.users !== undefined && texts.length >= before.length))
    fold.actors.set(record.change, texts);
  fold.clusters.add(record.cluster?.name ?? "");
}

/** A person is named before the program. */
function actorTexts({ manager, users = [] }: NonNullable<ChangeRecord["actor"]>): readonly string[] {
  const names = users.map(({ impersonated, user }) =>
    impersonated === undefined ? user : `${user} as ${impersonated}`,
  );
  return names.length === 0 ? [manager] : names.map((name) => `${name} with ${manager}`);
}

type WorkloadRecordOfChange = Exclude<HistoryRecord, { type: "operator" | "change" }>;

function changedWorkload(record: WorkloadRecordOfChange): FoldedWorkload | undefined {
  const progress = progressOf(record);
  if (progress === undefined) return undefined;
  const { cluster, sources, time, workload } = record;
  const message = peopleMessage(record);
  const reason = record.type === "action" ? record.fault : record.reason;
  return {
    cluster: cluster?.name ?? "",
    clusterId: cluster?.id ?? "",
    workload,
    progress,
    reason,
    message,
    time,
    sources,
  };
}

function peopleMessage(record: WorkloadRecordOfChange): string | undefined {
  if (record.type === "action" && record.action === "discarded")
    return `discarded by ${record.by}: ${record.why}`;
  return record.type === "outcome" ? record.message : undefined;
}

function progressOf(record: WorkloadRecordOfChange): ChangeProgress | undefined {
  if (record.type === "outcome") return record.result;
  if (record.type === "action") return record.action === "rolled" ? "rolling" : record.action;
  return record.verdict === "held" ? "held" : record.verdict === "no" ? "unchanged" : undefined;
}

function summaryOf(id: string, { first, actors, clusters, workloads }: ChangeFold): ChangeSummary {
  const counts = { unchanged: 0, held: 0, rolling: 0, healthy: 0, failed: 0, stalled: 0, discarded: 0 };
  for (const { progress } of workloads.values()) counts[progress] += 1;
  return {
    id,
    source: first.source,
    time: first.time,
    actors: [...new Set([...actors.values()].flat())].sort(),
    clusters: [...clusters].sort(),
    workloads: counts,
    isDone: counts.held + counts.rolling + counts.failed + counts.stalled === 0,
  };
}
