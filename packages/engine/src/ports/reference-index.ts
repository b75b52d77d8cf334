import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { SeenInterest, ServedRecord } from "./workload-records.ts";

/** What the index knows of one opted-in workload. */
export interface IndexEntry {
  readonly workload: WorkloadRef;
  /** Keys (`sourceKey`) of every source that may matter: spec references and exact names of annotations. */
  readonly sources: readonly string[];
  /** Name patterns of annotations, matched against every source of that kind in the namespace. */
  readonly patterns: readonly { readonly kind: SourceKind; readonly item: string }[];
  /**
   * Whatever else decides what is noted of these sources: which keys are read, which have to match, of which template the
   * pods are where a source is optional. Only compared: a different one has to be noted anew. Mostly empty.
   */
  readonly scope: string;
  /** The workload's own debounce window, where it sets one. */
  readonly window: { readonly quietPeriodMs?: number; readonly maxWaitMs?: number };
  /** The event that shows it. Kept where the entry is new or different, until the workload is noted; it tells nothing of the entry itself. */
  readonly seen?: SeenInterest;
}

/** A source as a watch or list shows it: metadata only. */
export interface SourceVersion {
  readonly ref: SourceRef;
  readonly resourceVersion: string;
}

/** No object has this version: asked about in it, a source that is gone still leads to the workloads that use it. */
export const goneVersion = "";

/** A source whose version differs from the one handled last, with the workloads that use it. */
export interface SourceChange {
  readonly source: SourceVersion;
  /** No version of it has been handled yet. */
  readonly isFirst: boolean;
  readonly dependents: readonly Dependent[];
}

export interface Dependent {
  readonly workload: WorkloadRef;
  readonly window: IndexEntry["window"];
}

/**
 * Source → workloads of one cluster, and the version of each referenced source that was handled last (the checkpoint).
 * Kept where all processes see it; it can be rebuilt from the cluster, so each call faults with `redis.state-lost` when
 * what was there is gone, and the caller lists and compares again.
 */
export interface ReferenceIndex {
  /** Begin, or begin again after a loss. Resolves to the wall time (seconds) at which we were first engaged here. */
  open(): Promise<{ readonly engagedAtSeconds: number }>;
  /** Since when the workloads of a stream are served; undefined when that is not remembered. */
  served(stream: string): Promise<ServedRecord | undefined>;
  serve(stream: string, record: ServedRecord): Promise<void>;
  /** How many workloads whose entries were new or different have not been looked at since. */
  unreconciled(): Promise<number>;
  /** Faults with `redis.state-lost` when the state is not the one that was opened. */
  verify(): Promise<void>;
  /**
   * Put entries; returns those that differ from what was there (all of them on a fresh index), and those that differed
   * before and were not marked as published since.
   */
  put(entries: readonly IndexEntry[]): Promise<readonly IndexEntry[]>;
  /** Checkpoint of entries that differed: only after what had to be published for them has been. */
  markPublished(workloads: readonly WorkloadRef[]): Promise<void>;
  remove(workloads: readonly WorkloadRef[]): Promise<void>;
  /** After a complete list: forget every workload of the kind that is not in it (keys of `workloadKey`). */
  retain(workloadKind: string, namespace: string | undefined, keys: ReadonlySet<string>): Promise<void>;
  /** Of these sources, the referenced ones whose version is not the one handled last. */
  findChanged(sources: readonly SourceVersion[]): Promise<readonly SourceChange[]>;
  /** Checkpoint: only after what had to be published for them has been. */
  markHandled(sources: readonly SourceVersion[]): Promise<void>;
  /** Workloads that use these may carry them from now on, whether they are there or not: until handled they have a checkpoint at no version. */
  expect(sources: readonly SourceRef[]): Promise<void>;
  /** Every source of the kind that has a checkpoint: what is not in a complete list was deleted unseen. */
  handledSources(kind: SourceKind, namespace: string | undefined): Promise<readonly SourceRef[]>;
  /** A source was deleted: its checkpoint goes, so that it counts as new when it is made again. */
  forget(sources: readonly SourceRef[]): Promise<void>;
}
