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
