import type { Log } from "@fleet-reloader/engine/ports/log";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisKnownDocuments } from "@fleet-reloader/redis/index/redis-known-documents";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { KnownDocuments } from "@fleet-reloader/wiring/freeze-absence";
import type { CommandProcess } from "../frame/command.ts";
import { fleetRedisAddress } from "../redis/fleet-redis.ts";
import type { freezeConfig } from "./freeze-config.ts";

/** The documents of freezes that the Redis of the fleet remembers. It is asked, and has to be there, only when a document is not. */
export function knownByRedis(
  config: ConfigOf<typeof freezeConfig>,
  { env }: Pick<CommandProcess, "env">,
  log: Log,
): KnownDocuments {
  return {
    isOfDataDir: config.redisUrl === "",
    async has(name) {
      const client = new RedisClient(await fleetRedisAddress(config, env), log);
      const known = new RedisKnownDocuments({ client, keys: new Keys("fleet-reloader") });
      return await known.has(name).finally(() => client.close());
    },
    add: async () => undefined,
  };
}
