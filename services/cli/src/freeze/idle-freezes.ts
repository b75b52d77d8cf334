import { existsSync } from "node:fs";
import { asFault } from "@fleet-reloader/domain/fault";
import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import { answerWithin } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { embeddedSocket } from "@fleet-reloader/redis/connection/embedded-server";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { dataDirOf } from "@fleet-reloader/runtime/process/data-dir";
import type { CommandProcess } from "../frame/command.ts";
import { redisLogin } from "../redis/redis-login.ts";
import { shardsOf } from "../redis/used-redis.ts";
import { coveragePatienceMs, coveredIn } from "./coverage.ts";
import type { freezesConfig } from "./freeze-config.ts";

export interface IdleFreezesOptions {
  readonly config: ConfigOf<typeof freezesConfig>;
  readonly io: Pick<CommandProcess, "env" | "stderr">;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Why each of these freezes covers nothing, in their order; undefined where one covers something, or where nobody knows: no Redis is named and
 * no embedded one runs. A Redis that does not answer causes a warning: freezes are listed without it, too.
 */
export async function missingOfEach(
  freezes: readonly Freeze[],
  { clock, config, io, log }: IdleFreezesOptions,
): Promise<readonly (string | undefined)[]> {
  const { env, stderr } = io;
  const socketPath = embeddedSocket(dataDirOf(config.dataDir, env));
  if (freezes.length === 0 || (config.redisUrl === "" && !existsSync(socketPath))) return [];
  try {
    const address = config.redisUrl === "" ? { socketPath } : await redisLogin(config, env);
    const client = new RedisClient(address, log);
    const late = `--redis-url: no answer within ${coveragePatienceMs / 1000} s`;
    const asked = askEachFreeze(client, freezes, clock);
    return await answerWithin(coveragePatienceMs, clock, asked, late).finally(() => client.close());
  } catch (error) {
    stderr.write(`warning: it is not known what the freezes cover: ${asFault(error).message}\n`);
    return [];
  }
}

async function askEachFreeze(
  client: RedisClient,
  freezes: readonly Freeze[],
  clock: Clock,
): Promise<readonly (string | undefined)[]> {
  const shards = await shardsOf(client, clock);
  const missing: (string | undefined)[] = [];
  const keys = new Keys("fleet-reloader", shards);
  // One after another: each may read the workloads of all clusters.
  for (const freeze of shards === undefined ? [] : freezes)
    missing.push((await coveredIn({ client, keys, clock }, freeze))?.missing);
  return missing;
}
