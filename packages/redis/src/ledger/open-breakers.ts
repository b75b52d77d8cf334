import { jsonField, parseJson } from "@fleet-reloader/domain/json";
import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { OpenBreaker, ReleasedBreakers } from "@fleet-reloader/engine/act/acted-fleet";
import type { ClusterId, Request } from "@fleet-reloader/engine/ports/request";
import { Cluster } from "ioredis";
import type { KeyedRedis, RedisClient } from "../connection/client.ts";
import { ledgerRollOf } from "./redis-roll-ledger.ts";

/** Keys per scan: a millisecond of Redis. */
const breakersScanned = 1000;

/** The breakers of rolls in Redis, for a person who closes them. */
export class OpenBreakers implements ReleasedBreakers {
  readonly #client: RedisClient;
  readonly #root: string;

  constructor({ client, keys }: KeyedRedis) {
    this.#client = client;
    this.#root = `${keys.rollLedger}:k:`;
  }

  async ofWorkload(request: Request): Promise<readonly OpenBreaker[]> {
    return await this.#open([`${this.#root}w|${ledgerRollOf(request)}`]);
  }

  /** A source has one breaker for each set of keys that workloads use. Scans all keys of Redis, step by step. */
  async ofSource(clusters: readonly ClusterId[], source: SourceRef): Promise<readonly OpenBreaker[]> {
    const prefixes = clusters.map((cluster) => `${this.#root}s|${cluster}|${sourceKey(source)}`);
    const isOurs = (key: string) => prefixes.some((prefix) => key === prefix || key.startsWith(`${prefix}|`));
    // Names contain no glob characters.
    const found = await this.#scan(`${this.#root}s|*|${sourceKey(source)}*`);
    return await this.#open(found.filter(isOurs));
  }

  /** Removes the rolls that opened the breakers, so that they count from zero. */
  async close(breakers: readonly OpenBreaker[]): Promise<void> {
    await Promise.all(breakers.map(({ key }) => this.#client.connection.unlink(key)));
  }

  async #open(keys: readonly string[]): Promise<readonly OpenBreaker[]> {
    const texts = await Promise.all(keys.map((key) => this.#client.connection.get(key)));
    return keys.flatMap((key, at) => {
      const state = parseJson(texts[at] ?? "");
      const [trips, till] = [jsonField(state, "trips"), jsonField(state, "till")];
      return typeof trips === "number" && trips > 0 && typeof till === "number"
        ? [{ key, untilMs: till }]
        : [];
    });
  }

  async #scan(pattern: string): Promise<readonly string[]> {
    const { connection } = this.#client;
    const servers = connection instanceof Cluster ? connection.nodes("master") : [connection];
    const all = new Set<string>();
    for (const server of servers) {
      let cursor = "0";
      do {
        const [next, found] = await server.scan(cursor, "MATCH", escaped(pattern), "COUNT", breakersScanned);
        for (const key of found) all.add(key);
        cursor = next;
      } while (cursor !== "0");
    }
    return [...all];
  }
}

/** Redis does not treat the braces of a hash tag as a pattern; brackets it would. */
function escaped(pattern: string): string {
  return pattern.replaceAll(/[[\]\\?]/g, "\\$&");
}
