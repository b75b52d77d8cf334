import { Fault } from "@fleet-reloader/domain/fault";
import { type KeyedRedis, unlessRefused } from "./client.ts";

/**
 * All watchers and workers of one Redis must look for the keys of a cluster in the same shard: nobody would take a request from a queue that the
 * others do not read. Faults with `config.invalid` when this Redis is laid out for another number of shards. A Redis that was used before there
 * were shards has one.
 *
 * The number can be changed while nothing runs. Data in shards that are no longer read is not needed, since a cluster whose index is missing is
 * compared again.
 */
export async function guardShards(at: KeyedRedis): Promise<void> {
  const { client, keys } = at;
  const isOlder = (await unlessRefused(client.connection.exists(keys.markKeyId))) > 0;
  await noteShards(at, isOlder ? 1 : keys.shards);
  await verifyShards(at);
}

/** The same for a process that only reads: it stores nothing, and accepts a Redis that is not used yet. */
export async function verifyShards(at: KeyedRedis): Promise<void> {
  const { keys } = at;
  const before = await unlessRefused(readShards(at));
  if (before === undefined || before === keys.shards) return;
  throw new Fault(
    "config.invalid",
    `--shards ${keys.shards}: this Redis is laid out for ${before}; give --shards ${before} to every watcher and worker. To change it, stop all of them, set the Redis key ${keys.fleet.shards} to ${keys.shards}, and start them with --shards ${keys.shards}: everything is compared again, and nothing rolls for it`,
  );
}

/**
 * Stores the number, without changing an existing one. It has to be repeated whenever Redis may have been wiped, since readers cannot detect
 * that.
 */
export async function noteShards({ client, keys }: KeyedRedis, shards = keys.shards): Promise<void> {
  await client.connection.set(keys.fleet.shards, String(shards), "NX");
}

/** The number of shards of this Redis; undefined when it is not used yet, or was wiped and not used since. */
export async function readShards({ client, keys }: KeyedRedis): Promise<number | undefined> {
  return Number(await client.connection.get(keys.fleet.shards)) || undefined;
}
