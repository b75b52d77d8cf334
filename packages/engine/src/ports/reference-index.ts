import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { SeenInterest, ServedRecord } from "./workload-records.ts";

/** The entry of one opted-in workload. */
export interface IndexEntry {
  readonly workload: WorkloadRef;
  /** Keys (`sourceKey`) of every source that may count: references of the template and exact names in annotations. */
  readonly sources: readonly string[];
  /** Name patterns in annotations. They are matched against every source of the kind in the namespace. */
  readonly patterns: readonly { readonly kind: SourceKind; readonly item: string }[];
  /**
   * Everything else that decides what the applied state records of these sources: the keys that are read, those that have to match, and
   * the pod template where a source is optional. It is only compared: a different scope needs a new record. Mostly empty.
   */
  readonly scope: string;
  /** The object that the workload refers to for its pod template: a freeze of that object holds the workload too. */
  readonly templateOwner?: WorkloadRef;
  /** The workload's own debounce window, if it sets one. */
  readonly window: { readonly quietPeriodMs?: number; readonly maxWaitMs?: number };
  /**
   * The event that shows the entry. It is not part of the entry. It is stored when the entry shows a new interest, until the applied
   * state is written. A stored event stays while the entry still asks for a source or pattern as before: that source may have changed
   * since. A change of the window or the generation alone stores nothing.
   */
  readonly seen?: SeenInterest;
}

/** A source as a watch or list shows it: metadata only. */
export interface SourceVersion {
  readonly ref: SourceRef;
  readonly resourceVersion: string;
  /** An annotation freezes it. Absent: none does, or it is not known. */
  readonly isFrozen?: true;
}

/** A version that no object has. `findChanged` with this version still finds the workloads that use a deleted source. */
export const goneVersion = "";

/** A source whose version differs from its checkpoint, with the workloads that use it. */
export interface SourceChange {
  readonly source: SourceVersion;
  /** No version of the source has been handled yet. */
  readonly isFirst: boolean;
  readonly dependents: readonly Dependent[];
}

export interface Dependent {
  readonly workload: WorkloadRef;
  readonly window: IndexEntry["window"];
}

/**
 * The reference index of one cluster: which workloads use which sources. All processes see it. It can be rebuilt from the
 * cluster, so each call faults with `redis.state-lost` when what was there is gone; the caller then lists and compares again.
 */
export interface ReferenceIndex {
  /**
   * Puts entries, in their order: one workload may have several. Returns those that differ from the stored ones (all of them on a fresh
   * index), and those that differed before and have not been marked as published since.
   */
  put(entries: readonly IndexEntry[]): Promise<readonly IndexEntry[]>;
  remove(workloads: readonly WorkloadRef[]): Promise<void>;
  /** Keys (`workloadKey`) of the workloads of the kind in the index. */
  keys(workloadKind: string, namespace: string | undefined): Promise<ReadonlySet<string>>;
  /** After a complete list: removes every workload of the kind that is not in it (keys of `workloadKey`). */
  retain(workloadKind: string, namespace: string | undefined, keys: ReadonlySet<string>): Promise<void>;
  /** Removes every workload that is not served. */
  retainServed(isServed: (workload: WorkloadRef) => boolean): Promise<void>;
  /** Returns those of these sources that are referenced and whose version differs from their checkpoint. */
  findChanged(sources: readonly SourceVersion[]): Promise<readonly SourceChange[]>;
}

/** What has been published so far. It lies beside the index and is lost together with it. */
export interface Checkpoints {
  /** Entries that differed count as published. Call it only after the queue holds their requests. */
  markPublished(workloads: readonly WorkloadRef[]): Promise<void>;
  /** These versions count as handled. Call it only after the queue holds their requests. */
  markHandled(sources: readonly SourceVersion[]): Promise<void>;
  /** The pods of some workload may use these sources from now on. Each gets a checkpoint at no version, unless it has one. */
  expect(sources: readonly SourceRef[]): Promise<void>;
  /** Every source of the kind that has a checkpoint. One that is missing from a complete list was deleted unseen. */
  handledSources(kind: SourceKind, namespace: string | undefined): Promise<readonly SourceRef[]>;
  /** Removes the checkpoints of deleted sources. A source that is created again counts as new. */
  forget(sources: readonly SourceRef[]): Promise<void>;
}

/** One life of the index: it begins with `open` and ends when the state that was opened is lost. */
export interface IndexSession {
  /** Opens the index, also after a loss. Resolves to the wall time (seconds) of our first engagement with the cluster. */
  open(): Promise<{ readonly engagedAtSeconds: number }>;
  /** Faults with `redis.state-lost` when the state is not the one that was opened. */
  verify(): Promise<void>;
  /** Since when the workloads of a stream are served; undefined when it is not known. */
  served(stream: string): Promise<ServedRecord | undefined>;
  serve(stream: string, record: ServedRecord): Promise<void>;
  /** The number of workloads whose entries were new or different and that no worker has observed since. */
  unreconciled(): Promise<number>;
}
