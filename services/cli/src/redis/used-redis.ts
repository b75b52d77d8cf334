import { Fault } from "@fleet-reloader/domain/fault";
import { answerWithin } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import {
  type KeyedRedis,
  type RedisAddress,
  RedisClient,
  unlessRefused,
} from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { readShards } from "@fleet-reloader/redis/connection/shard-guard";

/** A person waits at a terminal. */
const redisPatienceMs = 5000;

interface OpenOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Opens the Redis of a fleet. Faults when it does not answer in time, does not let us in, or when no fleet-reloader uses it. `lacks` says what is
 * not there then. The caller closes the client.
 */
export async function openUsedRedis(
  address: RedisAddress,
  { clock, lacks = "", log }: OpenOptions & { readonly lacks?: string },
): Promise<KeyedRedis> {
  const redis = await openIfUsed(address, { clock, log });
  if (redis !== undefined) return redis;
  throw new Fault(
    "redis.state-lost",
    `--redis-url: nobody uses this Redis, or nobody has yet since it was wiped${lacks}. Check the address; if it is right, ask again when a watcher is ready`,
  );
}

/** The same, but undefined when no fleet-reloader uses it. */
export async function openIfUsed(
  address: RedisAddress,
  { clock, log }: OpenOptions,
): Promise<KeyedRedis | undefined> {
  const client = new RedisClient(address, log);
  let shards: number | undefined;
  try {
    const asked = unlessRefused(readShards({ client, keys: new Keys("fleet-reloader") }));
    const late = `--redis-url: no answer within ${redisPatienceMs / 1000} s`;
    shards = await answerWithin(redisPatienceMs, clock, asked, late);
  } finally {
    if (shards === undefined) await client.close();
  }
  return shards === undefined ? undefined : { client, keys: new Keys("fleet-reloader", shards) };
}
