import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { RedisReferenceIndex } from "@fleet-reloader/redis/index/redis-reference-index";
import { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";

/** The product's own Redis parts, without the rest of it. */
export interface RedisParts extends AsyncDisposable {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: RedisClock;
  readonly log: CollectedLog;
  readonly queue: BullWorkqueue;
  readonly index: RedisReferenceIndex;
}

/** As long as the identity of a real one, which is in most keys: the UID of its `kube-system` namespace. */
export const benchCluster = "4f2c91a7-3b58-4d0e-9c6d-1a7be0f5d283";

export async function openRedisParts(url: string): Promise<RedisParts> {
  const log = new CollectedLog();
  const client = new RedisClient({ url }, log);
  const keys = new Keys("fleet-reloader");
  const clock = new RedisClock({ client, keys, local: systemClock });
  await clock.start();
  const shared = { client, keys, clock, log };
  const queue = new BullWorkqueue(shared);
  const index = new RedisReferenceIndex({
    ...shared,
    cluster: benchCluster,
    names: { of: async () => new Map() },
  });
  await index.open();
  return {
    ...{ ...shared, queue, index },
    async [Symbol.asyncDispose]() {
      clock.stop();
      await queue.close();
      await client.close();
    },
  };
}
