import { existsSync } from "node:fs";
import { Fault } from "@fleet-reloader/domain/fault";
import { RedisClient, unlessRefused } from "@fleet-reloader/redis/connection/client";
import { embeddedSocket } from "@fleet-reloader/redis/connection/embedded-server";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { RedisFleetOverview } from "@fleet-reloader/redis/overview/redis-fleet-overview";
import { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { connectionFields } from "@fleet-reloader/runtime/config/fields";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { dataDirOf } from "@fleet-reloader/runtime/process/data-dir";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import type { CommandProcess } from "../frame/command.ts";
import { redisLogin, redisLoginFields } from "./redis-login.ts";
import { shardsOf } from "./used-redis.ts";

const { dataDir, redisUrl } = connectionFields;

/** Where the Redis of the fleet is. In a pod of ours the variables say it. */
export const fleetRedisFields = {
  redisUrl: {
    schema: redisUrl.schema,
    meta: {
      group: redisUrl.meta.group,
      flag: redisUrl.meta.flag,
      env: redisUrl.meta.env,
      placeholder: redisUrl.meta.placeholder,
      isSecret: true,
      description: "Redis of the fleet.",
      defaultText: "the embedded one of the data dir",
    },
  },
  ...redisLoginFields,
  dataDir,
} as const;

/** The Redis of a fleet, for one command. */
export interface FleetRedis {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly queue: BullWorkqueue;
  readonly overview: RedisFleetOverview;
  readonly reader: HistoryReader;
  /** Redis' own. */
  readonly clock: RedisClock;
}

/** Opens the Redis of a fleet for as long as the act takes. Faults when it does not answer, or when no fleet-reloader uses it. */
export async function withFleetRedis<T>(
  config: ConfigOf<typeof fleetRedisFields>,
  { env }: Pick<CommandProcess, "env">,
  act: (redis: FleetRedis) => Promise<T>,
): Promise<T> {
  const log = createLog({ service: "cli", level: "error", format: "json" });
  const client = new RedisClient(await fleetRedisAddress(config, env), log);
  try {
    const shards = await unlessRefused(shardsOf(client, systemClock));
    if (shards === undefined)
      throw new Fault(
        "redis.state-lost",
        "--redis-url: nobody uses this Redis, or nobody has yet since it was wiped. Check the address; if it is right, ask again when a watcher is ready",
      );
    const keys = new Keys("fleet-reloader", shards);
    const clock = new RedisClock({ client, keys, local: systemClock });
    await clock.read();
    const queue = new BullWorkqueue({ client, keys, clock, isGuest: true });
    try {
      return await act({
        client,
        keys,
        queue,
        clock,
        reader: new HistoryReader({ client, keys }),
        overview: new RedisFleetOverview({ client, keys, queue, clock }),
      });
    } finally {
      await queue.close();
    }
  } finally {
    await client.close();
  }
}

/** Where the Redis of a fleet is: the one that is given, or the embedded one of the data dir. Faults when there is neither. */
export async function fleetRedisAddress(
  config: ConfigOf<typeof fleetRedisFields>,
  env: CommandProcess["env"],
): ReturnType<typeof redisLogin> {
  if (config.redisUrl !== "") return await redisLogin(config, env);
  const folder = dataDirOf(config.dataDir, env);
  const socketPath = embeddedSocket(folder);
  if (existsSync(socketPath)) return { socketPath };
  throw new Fault(
    "config.invalid",
    `--redis-url: it is missing, and no fleet-reloader runs with the data dir ${folder}; write the Redis of the fleet, for example redis://127.0.0.1:6379`,
  );
}
