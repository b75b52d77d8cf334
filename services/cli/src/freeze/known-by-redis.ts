import { existsSync } from "node:fs";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { embeddedSocket } from "@fleet-reloader/redis/connection/embedded-server";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisKnownDocuments } from "@fleet-reloader/redis/index/redis-known-documents";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { dataDirOf } from "@fleet-reloader/runtime/process/data-dir";
import type { KnownDocuments } from "@fleet-reloader/wiring/freeze-absence";
import type { CommandProcess } from "../frame/command.ts";
import { redisLogin } from "../redis/redis-login.ts";
import type { freezeConfig } from "./freeze-config.ts";

/**
 * The documents of freezes that the Redis of the fleet remembers: the one that is named, or the embedded one of the data dir. Undefined: neither
 * is known here. Nothing is asked before a document is not there.
 */
export function knownByRedis(
  config: ConfigOf<typeof freezeConfig>,
  { env }: Pick<CommandProcess, "env">,
  log: Log,
): KnownDocuments | undefined {
  const socketPath = embeddedSocket(dataDirOf(config.dataDir, env));
  const isEmbedded = config.redisUrl === "";
  if (isEmbedded && !existsSync(socketPath)) return undefined;
  return {
    isOfDataDir: isEmbedded,
    async has(name) {
      const client = new RedisClient(isEmbedded ? { socketPath } : await redisLogin(config, env), log);
      const known = new RedisKnownDocuments({ client, keys: new Keys("fleet-reloader") });
      return await known.has(name).finally(() => client.close());
    },
    add: async () => undefined,
  };
}
