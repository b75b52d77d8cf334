import type { Clock } from "@fleet-reloader/engine/clock";
import type { Freezes } from "@fleet-reloader/engine/freezes";
import { watchHolds } from "@fleet-reloader/engine/held-requests";
import { createHoldCheck } from "@fleet-reloader/engine/hold-check";
import type { Log } from "@fleet-reloader/engine/log";
import type { Work } from "@fleet-reloader/engine/work";
import type { Fleet } from "@fleet-reloader/kube/fleet";
import { BullHolds } from "@fleet-reloader/redis/bull-holds";
import { countWork } from "@fleet-reloader/redis/bull-work";
import type { BullWorkqueue } from "@fleet-reloader/redis/bull-workqueue";
import type { RedisClient } from "@fleet-reloader/redis/client";
import type { Keys } from "@fleet-reloader/redis/keys";
import { createWorkAnswer } from "@fleet-reloader/runtime/work-answer";

export interface ScalingOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly queue: BullWorkqueue;
  readonly horizonMs: number;
  readonly freezes: Freezes;
  readonly fleet: Fleet;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a process that is always on does for workers that are not: it tells how much there is to do, and ends holds. */
export function createScaling(options: ScalingOptions) {
  const { queues } = options.queue;
  const { fleet } = options;
  const check = createHoldCheck({
    ...options,
    clusterOf: (cluster) => fleet.get(cluster),
    reachOf: (cluster) => fleet.reachOf(cluster),
  });
  const holds = new BullHolds(options);
  const held = holds.of(queues);
  return {
    work: createWorkAnswer({
      clock: options.clock,
      count: (): Promise<Work> => countWork({ ...options, queues, holds }),
      redisNotReady: () => options.client.notReady,
    }),
    watchHolds: (signal: AbortSignal): Promise<void> => watchHolds({ ...options, held, check }, signal),
  };
}
