import { answerWithin } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { readShards } from "@fleet-reloader/redis/connection/shard-guard";

/** A person waits at a terminal. */
const redisPatienceMs = 5000;

/** The number of shards of a Redis; undefined when no fleet-reloader uses it. Faults when Redis does not answer in time. */
export async function shardsOf(client: RedisClient, clock: Clock): Promise<number | undefined> {
  const asked = readShards({ client, keys: new Keys("fleet-reloader") });
  return await answerWithin(
    redisPatienceMs,
    clock,
    asked,
    `--redis-url: no answer within ${redisPatienceMs / 1000} s`,
  );
}
