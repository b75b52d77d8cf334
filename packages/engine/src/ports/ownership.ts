import type { ClusterStatus } from "@fleet-reloader/domain/cluster/cluster-status";
import type { ClusterId } from "./request.ts";

/**
 * Decides which of several watchers watches a cluster: one at a time, as far as they know of each other. Two at once do no harm, because
 * the queue merges their equal requests. None for a while loses nothing, because the next one compares everything with the checkpoints.
 */
export interface Ownership {
  /**
   * Runs `work` whenever this watcher owns the cluster. Its signal is aborted when the ownership ends. Resolves when `signal` is aborted
   * and the work has ended. An error that `work` throws ends it, too.
   */
  during(cluster: ClusterId, signal: AbortSignal, work: (owned: AbortSignal) => Promise<void>): Promise<void>;
}

/** Whether the streams of a cluster are in sync. */
export interface StreamLag {
  /** The number of streams that have started. */
  readonly streams: number;
  /** How many of them do not watch yet, or no longer watch. */
  readonly behindCount: number;
  /** The first few of them with their reasons. */
  readonly behind: readonly string[];
  /** The wall time in milliseconds since when some stream is not in sync; undefined: every stream is in sync. */
  readonly behindSinceMs: number | undefined;
}

/** What the watcher of a cluster reports about it. */
export interface ClusterReport extends StreamLag {
  /** As this watcher sees it; undefined: its engagement ends. */
  readonly status: ClusterStatus | undefined;
  /** The first few rights that a watcher needs and lacks, as sentences. */
  readonly missingRights: readonly string[];
  readonly missingRightCount: number;
}

/** The most lines of one kind in a report: a scope of many namespaces may have hundreds of streams and rights. */
export const reportLinesMax = 5;

/** Where a watcher publishes its reports. All of them expire some time after the last write or renewal. */
export interface ClusterReportStore {
  /** Writes the reports that changed and removes those of these clusters. False: nothing was there before. */
  write(changed: ReadonlyMap<ClusterId, string>, removed: readonly ClusterId[]): Promise<boolean>;
  /** Prolongs the existing reports. False: there are none. */
  renew(): Promise<boolean>;
  /** Removes everything. */
  clear(): Promise<void>;
}
