import { type Work, workOf } from "@fleet-reloader/engine/admission/work";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Queue } from "bullmq";
import type { BullHolds } from "./bull-holds.ts";
import type { RequestJob } from "./request-job.ts";

export interface BullWorkOptions {
  /** In the order of their shards. */
  readonly queues: readonly Queue<RequestJob>[];
  readonly holds: BullHolds;
  readonly clock: Clock;
  /** Work that is due within this time counts: as long as a worker takes to start. */
  readonly horizonMs: number;
}

/** Counts the work for workers. Redis reads some counters per shard, whatever the length of the queue. */
export async function countWork({ queues, holds, clock, horizonMs }: BullWorkOptions): Promise<Work> {
  const horizon = clock.now() + horizonMs;
  const counted = await Promise.all(
    queues.map(async (queue, shard) => {
      const [counts, due, held] = await Promise.all([
        queue.getJobCounts("wait", "prioritized", "active"),
        queue.getDelayedCount(horizon),
        holds.countBefore(shard, horizon),
      ]);
      const { wait: waiting = 0, prioritized = 0, active = 0 } = counts;
      return { waiting, prioritized, active, due, held };
    }),
  );
  const sum = (of: keyof Omit<Work, "work">) => counted.reduce((total, each) => total + each[of], 0);
  return workOf({
    waiting: sum("waiting"),
    prioritized: sum("prioritized"),
    active: sum("active"),
    due: sum("due"),
    held: sum("held"),
  });
}
