import type { Freezes } from "@fleet-reloader/engine/admission/freezes";
import { watchHolds } from "@fleet-reloader/engine/admission/held-requests";
import { type AnnotationView, createHoldCheck } from "@fleet-reloader/engine/admission/hold-check";
import type { Work } from "@fleet-reloader/engine/admission/work";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
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
  readonly annotationsOf: (cluster: ClusterId) => AnnotationView;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Scaling {
  readonly work: () => Promise<Work>;
  watchHolds(signal: AbortSignal): Promise<void>;
}

/** Runs in an always-on process for workers that are scaled to zero: it counts their work and ends holds. */
export function createScaling(options: ScalingOptions): Scaling {
  const { client, keys, queue, horizonMs, freezes, fleet, annotationsOf, clock, log } = options;
  const { queues } = queue;
  const holds = new BullHolds({ client, keys });
  const held = holds.of(queues);
  const check = createHoldCheck({
    freezes,
    clusterOf: (cluster) => fleet.get(cluster),
    reachOf: (cluster) => fleet.reachOf(cluster),
    annotationsOf,
    clock,
  });
  return {
    work: createWorkAnswer({
      clock,
      count: () => countWork({ queues, holds, clock, horizonMs }),
      redisNotReady: () => client.notReady,
    }),
    watchHolds: (signal) => watchHolds({ held, check, clock, log }, signal),
  };
}
