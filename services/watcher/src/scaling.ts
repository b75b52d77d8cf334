import type { Freezes } from "@fleet-reloader/engine/admission/freezes";
import { watchHolds } from "@fleet-reloader/engine/admission/held-requests";
import { createHoldCheck } from "@fleet-reloader/engine/admission/hold-check";
import type { Work } from "@fleet-reloader/engine/admission/work";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { BullHolds } from "@fleet-reloader/redis/queue/bull-holds";
import { countWork } from "@fleet-reloader/redis/queue/bull-work";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { createWorkAnswer } from "@fleet-reloader/runtime/http/work-answer";

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
