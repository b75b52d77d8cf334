import { existsSync } from "node:fs";
import { Fault } from "@fleet-reloader/domain/fault";
import type { KeyedRedis, RedisAddress } from "@fleet-reloader/redis/connection/client";
import { embeddedSocket } from "@fleet-reloader/redis/connection/embedded-server";
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
import { openUsedRedis } from "./used-redis.ts";

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
export interface FleetRedis extends KeyedRedis {
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
  const address = await fleetRedisAddress(config, env);
  const { client, keys } = await openUsedRedis(address, { clock: systemClock, log });
  try {
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
): Promise<RedisAddress> {
  const address = await knownRedisAddress(config, env);
  if (address !== undefined) return address;
  throw new Fault(
    "config.invalid",
    `--redis-url: it is missing, and no fleet-reloader runs with the data dir ${dataDirOf(config.dataDir, env)}; write the Redis of the fleet, for example redis://127.0.0.1:6379`,
  );
}

/** The same, but undefined when there is neither. */
export async function knownRedisAddress(
  config: ConfigOf<typeof fleetRedisFields> & { readonly kubeconfig?: string },
  env: CommandProcess["env"],
): Promise<RedisAddress | undefined> {
  if (config.redisUrl !== "") return await redisLogin(config, env);
  return embeddedRedis(dataDirOf(config.dataDir, env));
}

/** The embedded Redis of a data dir; undefined when none runs there. */
export function embeddedRedis(dataDir: string): RedisAddress | undefined {
  const socketPath = embeddedSocket(dataDir);
  return existsSync(socketPath) ? { socketPath } : undefined;
}
