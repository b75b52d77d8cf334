import type { Incumbents } from "@fleet-reloader/engine/ports/incumbents";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { KeyedRedis, RedisClient } from "../connection/client.ts";
import { Script } from "../connection/script.ts";

/** KEYS: hash, cluster → registration. ARGV: cluster, registration, the registration that it replaces or ''. Returns the incumbent. */
const keepScript = new Script(`
local now = redis.call('HGET', KEYS[1], ARGV[1])
if now and now ~= ARGV[3] then return now end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return ARGV[2]
`);

/** The incumbents, shared by all processes. */
export class RedisIncumbents implements Incumbents {
  readonly #client: RedisClient;
  readonly #key: string;

  constructor({ client, keys }: KeyedRedis) {
    this.#client = client;
    this.#key = keys.fleet.incumbents;
  }

  async all(): Promise<ReadonlyMap<ClusterId, string>> {
    return new Map(Object.entries(await this.#client.connection.hgetall(this.#key)));
  }

  async keep(cluster: ClusterId, registration: string, instead = ""): Promise<string> {
    const kept = await keepScript.run(this.#client.connection, this.#key, [cluster, registration, instead]);
    return typeof kept === "string" ? kept : registration;
  }
}
