import type { ClusterStatus } from "@fleet-reloader/domain/cluster/cluster-status";
import type { ClusterId } from "./request.ts";

/**
 * Who of several watchers watches a cluster. One at a time, as far as they know of each other: two for a while do no harm,
 * since what both put into the queue is one request, and nobody for a while loses nothing, since the next one compares
 * everything with the checkpoints.
 */
export interface Ownership {
  /**
   * Runs `work` whenever the cluster is ours, with a signal that is aborted when it is not any more; resolves when the
   * signal is aborted and the work has ended. What `work` throws ends it, too.
   */
  during(cluster: ClusterId, signal: AbortSignal, work: (owned: AbortSignal) => Promise<void>): Promise<void>;
}

/** How far the streams of a cluster are. */
export interface StreamLag {
  /** Streams that have begun. */
  readonly streams: number;
  /** Of these, those that do not watch yet, or not any more. */
  readonly behindCount: number;
  /** The first few of them with their reasons. */
  readonly behind: readonly string[];
  /** Since when not every stream has been in sync, wall time in milliseconds; undefined: every stream is. */
  readonly behindSinceMs: number | undefined;
}

/** What the watcher of a cluster says of it. */
export interface ClusterReport extends StreamLag {
  /** As this watcher sees it; undefined: its engagement ends. */
  readonly status: ClusterStatus | undefined;
  /** Of the rights that a watcher needs, the first few it lacks, as sentences. */
  readonly missingRights: readonly string[];
  readonly missingRightCount: number;
}

/** Lines of one kind in a report: a scope of many namespaces may have hundreds of streams and rights. */
export const reportLinesMax = 5;

/** Where a watcher publishes what it says of its clusters. All of it ends some time after the last write or renewal. */
export interface ClusterReportStore {
  /** Texts of clusters, and clusters of which nothing is said any more. False: nothing was there before. */
  write(changed: ReadonlyMap<ClusterId, string>, removed: readonly ClusterId[]): Promise<boolean>;
  /** What is there stays longer. False: nothing is there. */
  renew(): Promise<boolean>;
  /** Removes everything. */
  clear(): Promise<void>;
}
