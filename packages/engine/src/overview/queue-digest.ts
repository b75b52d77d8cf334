import { countByReason } from "./by-reason.ts";
import type { FoldedWorkload } from "./changes/change-summary.ts";
import type { FleetOverview, QueueOverview } from "./fleet-overview.ts";

/** The waiting requests, their age, and the failed rolls. */
export interface QueueDigest {
  readonly queue: QueueOverview;
  /** Requests on hold by reason. */
  readonly held: Readonly<Record<string, number>>;
  /** Workloads whose last roll failed or stalled, by the reason. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Reads the state of the queue without the failed rolls. */
export async function queueDigest(
  overview: Pick<FleetOverview, "queue" | "holds">,
  failed: readonly FoldedWorkload[],
): Promise<QueueDigest> {
  const [queue, holds] = await Promise.all([overview.queue(), overview.holds()]);
  return { queue, held: countByReason(holds), failed: countByReason(failed) };
}
