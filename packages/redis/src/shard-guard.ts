import { Fault } from "@fleet-reloader/domain/fault";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";

/**
 * All watchers and workers of one Redis must look for a cluster's keys in the same shard: what one puts into a queue that the
 * others do not read stays there. Faults with `config.invalid` when this Redis is laid out for another number of shards. One
 * that was used before there were shards has one.
 *
 * The number can be changed while nothing runs: what lies in shards that are not looked at any more is not missed, since a
 * cluster whose index is not found is compared anew.
 */
export async function guardShards({
  client,
  keys,
}: {
  readonly client: RedisClient;
  readonly keys: Keys;
}): Promise<void> {
  const redis = client.connection;
  const isOlder = (await redis.exists(keys.markKeyId)) > 0;
  await redis.set(keys.fleet.shards, String(isOlder ? 1 : keys.shards), "NX");
  const before = await readShards({ client, keys });
  if (before === keys.shards) return;
  throw new Fault(
    "config.invalid",
    `--shards ${keys.shards}: this Redis is laid out for ${before}; give --shards ${before} to every watcher and worker. To change it, stop all of them, set the Redis key ${keys.fleet.shards} to ${keys.shards}, and start them with --shards ${keys.shards}: everything is compared again, and nothing rolls for it`,
  );
}

/** How many shards this Redis is laid out for; 1 before anybody has used it. */
export async function readShards({
  client,
  keys,
}: {
  readonly client: RedisClient;
  readonly keys: Keys;
}): Promise<number> {
  return Number(await client.connection.get(keys.fleet.shards)) || 1;
}
