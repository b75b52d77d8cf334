import { Fault } from "@fleet-reloader/domain/fault";
import { type RedisClient, unlessRefused } from "./client.ts";
import type { Keys } from "./keys.ts";

/**
 * All watchers and workers of one Redis must look for a cluster's keys in the same shard: what one puts into a queue that the
 * others do not read stays there. Faults with `config.invalid` when this Redis is laid out for another number of shards. One
 * that was used before there were shards has one.
 *
 * The number can be changed while nothing runs: what lies in shards that are not looked at any more is not missed, since a
 * cluster whose index is not found is compared anew.
 */
export async function guardShards(at: Where): Promise<void> {
  const { client, keys } = at;
  const isOlder = (await unlessRefused(client.connection.exists(keys.markKeyId))) > 0;
  await noteShards(at, isOlder ? 1 : keys.shards);
  await verifyShards(at);
}

/** The same for a process that only reads: it notes nothing, and a Redis that nobody uses yet will do. */
export async function verifyShards(at: Where): Promise<void> {
  const { keys } = at;
  const before = await unlessRefused(readShards(at));
  if (before === undefined || before === keys.shards) return;
  throw new Fault(
    "config.invalid",
    `--shards ${keys.shards}: this Redis is laid out for ${before}; give --shards ${before} to every watcher and worker. To change it, stop all of them, set the Redis key ${keys.fleet.shards} to ${keys.shards}, and start them with --shards ${keys.shards}: everything is compared again, and nothing rolls for it`,
  );
}

/** Leaves what is noted. It has to be written again whenever Redis may have been wiped, since its readers cannot know that. */
export async function noteShards({ client, keys }: Where, shards = keys.shards): Promise<void> {
  await client.connection.set(keys.fleet.shards, String(shards), "NX");
}

/** How many shards this Redis is laid out for; undefined when nobody uses it, or nobody yet since it was wiped. */
export async function readShards({ client, keys }: Where): Promise<number | undefined> {
  return Number(await client.connection.get(keys.fleet.shards)) || undefined;
}

interface Where {
  readonly client: RedisClient;
  readonly keys: Keys;
}
