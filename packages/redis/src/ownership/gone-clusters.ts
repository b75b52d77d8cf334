import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import { Cluster } from "ioredis";
import type { KeyedRedis, RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { Script } from "../connection/script.ts";
import { readList, readText } from "../index/index-entry.ts";

export interface GoneClustersOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Clusters that a registration of this process leads to; undefined: it does not know all of them yet. */
  readonly registered: () => ReadonlySet<ClusterId> | undefined;
}

/** A cluster without a registration for this long is forgotten: longer than a repair or a holiday takes. */
const forgottenAfterSeconds = 30 * 24 * 3600;
/** The time at which a cluster was last registered is written at most this often. */
const notedEverySeconds = 3600;
/** One process scans for clusters to forget once in this time, whichever comes first. */
const lookEveryMs = 3_600_000;
/** Each process tries this often to be the one that scans, but not at its start, when others may still be starting. */
const askEveryMs = 600_000;
/** A scan step blocks Redis for a millisecond or two; scanning 300,000 keys takes some 3 s. */
const keysScannedAtOnce = 1000;
const restMs = 5;

const now = "local now = tonumber(redis.call('TIME')[1])";

/** KEYS: registered. ARGV: seconds, clusters. Stores that each is registered now. A younger stored time stays. */
const goneScript = new Script(`${now}
for i = 2, #ARGV do
  local at = tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '')
  if not at or now - at >= tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], ARGV[i], now) end
end
return 0
`);

/** KEYS: registered, owners. ARGV: seconds. Returns the clusters that were last registered longer ago and that nobody watches. */
const dueScript = new Script(`${now}
local due = {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local isDue = now - tonumber(all[i + 1]) > tonumber(ARGV[1])
  if isDue and redis.call('HEXISTS', KEYS[2], all[i]) == 0 then due[#due + 1] = all[i] end
end
return due
`);

/** KEYS: registered, owners, incumbents. ARGV: seconds, a cluster. Removes it, unless it has come back meanwhile. */
const forgetKeysScript = new Script(`${now}
local at = tonumber(redis.call('HGET', KEYS[1], ARGV[2]) or '')
if at and now - at <= tonumber(ARGV[1]) or redis.call('HEXISTS', KEYS[2], ARGV[2]) == 1 then return 0 end
redis.call('HDEL', KEYS[1], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[2])
return 1
`);

/** KEYS: epoch of a cluster, keys of it. Returns how many it removed: none when the cluster is watched again. */
const unlinkScript = new Script(`
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local gone = 0
for i = 2, #KEYS do gone = gone + redis.call('UNLINK', KEYS[i]) end
return gone
`);

/** Whether Redis stores nothing of the cluster: its next watcher starts as with a new cluster, and requests all work there. */
export async function isForgotten(cluster: ClusterId, { client, keys }: KeyedRedis): Promise<boolean> {
  return (await client.connection.exists(keys.cluster(cluster).epoch)) === 0;
}

/**
 * Forgets clusters that are gone for good. A cluster that comes back at that moment is safe: its epoch is removed first, with the index, so its
 * watcher starts again, and once an epoch exists again nothing more is removed.
 */
export class GoneClusters {
  readonly #options: GoneClustersOptions;

  constructor(options: GoneClustersOptions) {
    this.#options = options;
  }

  /** Stores which clusters are registered and forgets the others, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, random } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(askEveryMs * (0.5 + random()), signal).catch(() => undefined);
      if (signal.aborted) return;
      await unlessAborted(this.look(signal), signal, "Redis").catch((error: unknown) => {
        if (!signal.aborted)
          log.warn({ err: asFault(error).message }, "the data of removed clusters could not be looked up");
      });
    }
  }

  /** Scans once, unless another process did within the hour. */
  async look(signal: AbortSignal): Promise<void> {
    const { client, keys, registered } = this.#options;
    const known = registered();
    if (known === undefined) return;
    await this.#note(notedEverySeconds, [...known]);
    if ((await client.connection.set(keys.fleet.forgetting, "1", "PX", lookEveryMs, "NX")) === null) return;
    await this.#noteUnknown(signal);
    const due = await this.#due();
    if (due.size > 0) await this.#forget(due, signal);
  }

  async #note(everySeconds: number, clusters: readonly ClusterId[]): Promise<void> {
    const { client, keys } = this.#options;
    await goneScript.run(client.connection, keys.fleet.registered, [String(everySeconds), ...clusters]);
  }

  /** For clusters without a stored time (left by an older version, or registered only briefly) the time starts now. */
  async #noteUnknown(signal: AbortSignal): Promise<void> {
    const { client, keys } = this.#options;
    await this.#note(Number.MAX_SAFE_INTEGER, await client.connection.hkeys(keys.fleet.incumbents));
    for await (const found of this.#scan(keys.ofClusters("*:epoch"), signal))
      await this.#note(Number.MAX_SAFE_INTEGER, [...found.keys()]);
  }

  async #due(): Promise<ReadonlySet<ClusterId>> {
    const { client, keys, registered } = this.#options;
    const { fleet } = keys;
    const at = [fleet.registered, fleet.owners];
    const due = await dueScript.run(client.connection, at, [String(forgottenAfterSeconds)]);
    const known = registered();
    // Never a registered cluster, even if the stored times are wrong.
    return new Set(
      readList(due)
        .map(readText)
        .filter((cluster) => known?.has(cluster) !== true),
    );
  }

  async #forget(due: ReadonlySet<ClusterId>, signal: AbortSignal): Promise<void> {
    const { client, keys, log } = this.#options;
    const counts = new Map<ClusterId, number>();
    const count = (cluster: ClusterId, more: number) =>
      counts.set(cluster, (counts.get(cluster) ?? 0) + more);
    for (const cluster of due) {
      if (signal.aborted) return;
      count(cluster, await client.connection.unlink(...keys.cluster(cluster).whole));
    }
    for await (const found of this.#scan(keys.ofClusters("*"), signal))
      for (const [cluster, its] of found)
        if (due.has(cluster)) count(cluster, await this.#unlink([keys.cluster(cluster).epoch, ...its]));
    for (const [clusterUid, count] of counts)
      if (count > 0)
        log.info(
          { clusterUid, keys: count },
          "the data of a cluster that was not registered for 30 days is removed",
        );
      // Only when nothing was left: keys that a worker wrote meanwhile, or that an interrupted scan left, are found by the next scan.
      else if (!signal.aborted) await this.#end(clusterUid);
  }

  async #unlink(its: readonly string[]): Promise<number> {
    return Number(await unlinkScript.run(this.#options.client.connection, its, []));
  }

  async #end(cluster: ClusterId): Promise<void> {
    const { client, keys } = this.#options;
    const { fleet } = keys;
    const args = [String(forgottenAfterSeconds), cluster];
    await forgetKeysScript.run(client.connection, [fleet.registered, fleet.owners, fleet.incumbents], args);
  }

  /** Keys of clusters on every master, step by step and grouped by cluster; ends with the signal. */
  async *#scan(
    pattern: string,
    signal: AbortSignal,
  ): AsyncGenerator<ReadonlyMap<ClusterId, readonly string[]>> {
    const { client, clock, keys } = this.#options;
    const { connection } = client;
    const masters = connection instanceof Cluster ? connection.nodes("master") : [connection];
    for (const master of masters) {
      let cursor = "0";
      do {
        await clock.sleep(restMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        const [next, found] = await master.scan(cursor, "MATCH", pattern, "COUNT", keysScannedAtOnce);
        cursor = next;
        const byCluster = Map.groupBy(found, (key) => keys.clusterOf(key) ?? "");
        byCluster.delete("");
        if (byCluster.size > 0) yield byCluster;
      } while (cursor !== "0");
    }
  }
}
