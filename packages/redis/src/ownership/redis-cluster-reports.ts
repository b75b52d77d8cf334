import { jsonField, jsonList, parseJson } from "@fleet-reloader/domain/json";
import type { ClusterReport, ClusterReportStore } from "@fleet-reloader/engine/ports/ownership";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { KeyedRedis, RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { Script } from "../connection/script.ts";
import type { OwnerRecord } from "./ownership-view.ts";
import { readClusterStatus } from "./redis-cluster-list.ts";

export interface RedisClusterReportsOptions {
  /** The name under which this process owns clusters. */
  readonly member: string;
  readonly client: RedisClient;
  readonly keys: Keys;
}

/** The member name in reports when one process watches all clusters and nobody owns any. */
export const aloneMember = "standalone";

/** Lifetime of reports. A watcher that is killed loses its clusters long before. */
const reportsLastMs = 60_000;

/** KEYS: hash, version. ARGV: time to live, the number of pairs, the pairs (cluster, text), and clusters to remove. */
const writeReportsScript = new Script(`
local there = redis.call('PEXPIRE', KEYS[1], ARGV[1])
local last = 2 + 2 * tonumber(ARGV[2])
for i = 3, last, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
for i = last + 1, #ARGV do redis.call('HDEL', KEYS[1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('INCR', KEYS[2])
return there
`);

/** The reports of one watcher: a hash that lives as long as the watcher, so one command renews a thousand reports. */
export class RedisClusterReports implements ClusterReportStore {
  readonly #client: RedisClient;
  readonly #key: string;
  readonly #version: string;

  constructor({ client, keys, member }: RedisClusterReportsOptions) {
    this.#client = client;
    this.#key = keys.fleet.reportsOf(member);
    this.#version = keys.fleet.reportsVersion;
  }

  async write(changed: ReadonlyMap<ClusterId, string>, removed: readonly ClusterId[]): Promise<boolean> {
    const pairs = [...changed].flat();
    const args = [String(reportsLastMs), String(changed.size), ...pairs, ...removed];
    const names = [this.#key, this.#version];
    return (await writeReportsScript.run(this.#client.connection, names, args)) === 1;
  }

  async renew(): Promise<boolean> {
    return (await this.#client.connection.pexpire(this.#key, reportsLastMs)) === 1;
  }

  async clear(): Promise<void> {
    const { connection } = this.#client;
    await Promise.all([connection.del(this.#key), connection.incr(this.#version)]);
  }
}

/** What the owner of each cluster reports about it. A report ends with the ownership. */
export async function readClusterReports(
  { client, keys }: KeyedRedis,
  owners: ReadonlyMap<ClusterId, Pick<OwnerRecord, "owner">>,
): Promise<(cluster: ClusterId) => ClusterReport | undefined> {
  const members = new Set([aloneMember, ...[...owners.values()].map(({ owner }) => owner)]);
  const read = await Promise.all(
    [...members].map(
      async (member) => [member, await client.connection.hgetall(keys.fleet.reportsOf(member))] as const,
    ),
  );
  const texts = new Map(read);
  return (cluster) => {
    const text = texts.get(owners.get(cluster)?.owner ?? aloneMember)?.[cluster];
    return text === undefined ? undefined : reportIn(parseJson(text));
  };
}

/** A report in the format of another version counts as none. */
function reportIn(value: unknown): ClusterReport | undefined {
  const streams = jsonField(value, "streams");
  if (typeof streams !== "number") return undefined;
  const since = jsonField(value, "behindSinceMs");
  return {
    streams,
    behindCount: numberIn(value, "behindCount"),
    behind: textsIn(value, "behind"),
    behindSinceMs: typeof since === "number" ? since : undefined,
    status: readClusterStatus(jsonField(value, "status")),
    missingRights: textsIn(value, "missingRights"),
    missingRightCount: numberIn(value, "missingRightCount"),
  };
}

function textsIn(value: unknown, name: string): readonly string[] {
  return jsonList(value, name).filter((line) => typeof line === "string");
}

function numberIn(value: unknown, name: string): number {
  const found = jsonField(value, name);
  return typeof found === "number" ? found : 0;
}
