import { sourceKey } from "@fleet-reloader/domain/source/source";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { type ChangeId, type ChangeRecord, type HistoryRecord, workloadGone } from "../../history/history.ts";
import { ChangeFold, changeIdOf } from "./change-fold.ts";
import type {
  AskedChanges,
  ChangeDetails,
  ChangedWorkload,
  ChangeProgress,
  ChangeSummary,
  FoldedChanges,
  FoldedWorkload,
} from "./change-summary.ts";

/**
 * Folds records into the progress of the changes among them. Records of one cluster come in the order of their times. Records that refer
 * to other changes are left out. The progress of a change does not depend on which other changes are among the records.
 */
export class ChangeFolds implements FoldedChanges {
  readonly #folds = new Map<string, ChangeFold>();
  readonly #foldOf = new Map<ChangeId, ChangeFold>();
  /** By workload, the changes that it was on hold for. */
  readonly #held = new Map<string, Set<ChangeFold>>();
  /** By workload, the changes that it rolls for. */
  readonly #rolling = new Map<string, Set<ChangeFold>>();
  /** By workload, the changes that it failed for. */
  readonly #failing = new Map<string, Set<ChangeFold>>();
  /** By workload, the changes of its last rollout, which ended badly. */
  readonly #stuck = new Map<string, readonly ChangeFold[]>();
  /** By workload, the changes that it had failed for when its last roll was written. */
  readonly #failedBefore = new Map<string, readonly ChangeFold[]>();

  add(record: HistoryRecord): void {
    if (record.type === "operator") return;
    if (record.type === "change") this.#addChange(record);
    else this.#addWorkload(record);
  }

  /** By its fleet-wide id, or by its id in one cluster. */
  find(id: string): ChangeFold | undefined {
    return this.#folds.get(id) ?? this.findInCluster(id);
  }

  /** By its id in one cluster, as it was last recorded. */
  findInCluster(id: ChangeId): ChangeFold | undefined {
    return this.#foldOf.get(id);
  }

  summaries(asked?: AskedChanges): readonly ChangeSummary[] {
    return summariesOf(this.#folds.values(), asked);
  }

  details(id: string): ChangeDetails | undefined {
    return this.find(id)?.details;
  }

  unsuccessful(): readonly FoldedWorkload[] {
    return unsuccessfulOf(this.#folds.values());
  }

  #addChange(record: ChangeRecord): void {
    const id = changeIdOf(record);
    const fold = this.#folds.get(id) ?? new ChangeFold(record);
    this.#folds.set(id, fold);
    this.#foldOf.set(record.change, fold);
    fold.addChange(record);
  }

  /**
   * Applies a record to the changes that it concerns. A workload that is rolled again while it rolls has one rollout, the newest: its end
   * counts for every change that the workload was rolling for. A recovery after a bad end counts for the same changes. A healthy rollout
   * supersedes the changes that the workload had failed for before it was rolled. A discard counts for every change that it failed for. A
   * record names the newest change of a source, so the end of a hold counts for every change that the workload was on hold for.
   */
  #addWorkload(record: WorkloadRecordOfChange): void {
    const progress = progressOf(record);
    if (progress === undefined) return;
    const key = `${record.cluster?.id}|${workloadKey(record.workload)}`;
    if (progress === "gone") {
      this.#endAll(key, changedWorkload(record, progress));
      return;
    }
    if (progress === "rolling" || progress === "unchanged") this.#endHolds(key, record, progress);
    const concerned =
      progress === "discarded"
        ? foldsThat(isUnsuccessful, this.#failing.get(key), key)
        : this.#mentioned(record, record.type === "outcome" ? this.#endedWith(key) : undefined);
    this.#put(key, changedWorkload(record, progress), concerned);
    if (progress === "rolling") {
      this.#stuck.delete(key);
      const failed = foldsThat(isUnsuccessful, this.#failing.get(key), key);
      if (failed.length > 0) this.#failedBefore.set(key, failed);
      else this.#failedBefore.delete(key);
    }
    if (record.type !== "outcome") return;
    if (isUnsuccessful({ progress })) this.#stuck.set(key, concerned);
    else this.#supersede(key, record);
  }

  /** The pods run newer content than that which the workload failed for. A write that failed after the roll stays open. */
  #supersede(key: string, record: WorkloadRecordOfChange): void {
    const superseded = foldsThat(isUnsuccessful, this.#failedBefore.get(key), key);
    this.#put(key, changedWorkload(record, "superseded"), superseded);
    this.#failedBefore.delete(key);
  }

  /** The changes of the rollout that ends. A record names only some of them. */
  #endedWith(key: string): readonly ChangeFold[] {
    const folds = [
      ...(this.#rolling.get(key) ?? []),
      ...foldsThat(isUnsuccessful, this.#stuck.get(key), key),
    ];
    this.#rolling.delete(key);
    this.#stuck.delete(key);
    return folds;
  }

  /**
   * A roll brings the newest content of its sources. If a held source is not among them, its change was reverted meanwhile, and nothing
   * rolls for it. A decision not to roll is about all sources.
   */
  #endHolds(key: string, record: WorkloadRecordOfChange, progress: "rolling" | "unchanged"): void {
    const sources = new Set(record.sources.map((one) => sourceKey(one)));
    for (const fold of foldsThat(isOnHold, this.#held.get(key), key)) {
      const isRolledFor = progress === "rolling" && sources.has(sourceKey(fold.source));
      this.#put(key, changedWorkload(record, isRolledFor ? "rolling" : "unchanged"), [fold]);
    }
    this.#held.delete(key);
  }

  /** The workload was deleted: its holds, rolls and failures have ended. */
  #endAll(key: string, changed: FoldedWorkload): void {
    const open = [this.#held, this.#rolling, this.#failing].flatMap((folds) => [...(folds.get(key) ?? [])]);
    this.#put(key, changed, foldsThat(endsWithWorkload, open, key));
    for (const folds of [this.#held, this.#rolling, this.#failing]) folds.delete(key);
  }

  #put(key: string, changed: FoldedWorkload, folds: readonly ChangeFold[]): void {
    if (folds.length === 0) return;
    for (const fold of folds) fold.putWorkload(key, changed);
    if (isUnsuccessful(changed)) addFolds(this.#failing, key, folds);
    if (isOnHold(changed)) addFolds(this.#held, key, folds);
    if (changed.progress === "rolling") addFolds(this.#rolling, key, folds);
  }

  /** The changes that a record names, and these. */
  #mentioned(
    { sources }: Pick<WorkloadRecordOfChange, "sources">,
    others: Iterable<ChangeFold> = [],
  ): readonly ChangeFold[] {
    const folds = new Set<ChangeFold>();
    for (const { change } of sources) {
      const fold = this.#foldOf.get(change ?? "");
      if (fold !== undefined) folds.add(fold);
    }
    for (const fold of others) folds.add(fold);
    return [...folds];
  }
}

/** Folds records in the order of their times. */
export function foldChanges(records: Iterable<HistoryRecord>): ChangeFolds {
  const folds = new ChangeFolds();
  for (const record of records) folds.add(record);
  return folds;
}

/** The newest change first. */
export function summariesOf(folds: Iterable<ChangeFold>, asked: AskedChanges = {}): readonly ChangeSummary[] {
  return Array.from(folds)
    .filter((fold) => fold.isAskedFor(asked))
    .map(({ summary }) => summary)
    .sort(newestFirst);
}

/** Takes changes in the order in which they were first recorded. */
export function unsuccessfulOf(folds: Iterable<ChangeFold>): readonly FoldedWorkload[] {
  const latest = new Map<string, FoldedWorkload>();
  for (const { workloads } of folds) {
    for (const [key, one] of workloads) {
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

function isOnHold({ progress }: Pick<ChangedWorkload, "progress">): boolean {
  return progress === "held";
}

function endsWithWorkload(workload: Pick<ChangedWorkload, "progress">): boolean {
  return isOnHold(workload) || workload.progress === "rolling" || isUnsuccessful(workload);
}

/** The changes for which the workload still has such a state. */
function foldsThat(
  standsSo: (workload: ChangedWorkload) => boolean,
  folds: Iterable<ChangeFold> | undefined,
  key: string,
): readonly ChangeFold[] {
  return Array.from(folds ?? []).filter(({ workloads }) => {
    const its = workloads.get(key);
    return its !== undefined && standsSo(its);
  });
}

function addFolds(open: Map<string, Set<ChangeFold>>, key: string, folds: readonly ChangeFold[]): void {
  const before = open.get(key);
  if (before === undefined) open.set(key, new Set(folds));
  else for (const fold of folds) before.add(fold);
}

/** Changes of the same time are ordered by id, so that the next page continues in the same order. */
function newestFirst(a: ChangeSummary, b: ChangeSummary): number {
  if (a.time !== b.time) return a.time < b.time ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

type WorkloadRecordOfChange = Exclude<HistoryRecord, { type: "operator" | "change" }>;

function changedWorkload(record: WorkloadRecordOfChange, progress: ChangeProgress): FoldedWorkload {
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
  if (record.verdict === "no") return record.reason === workloadGone ? "gone" : "unchanged";
  return record.verdict === "held" ? "held" : undefined;
}
