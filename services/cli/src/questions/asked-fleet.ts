import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { CommandProcess } from "../frame/command.ts";
import { fleetRedisFields, withFleetRedis } from "../redis/fleet-redis.ts";
import { openServer } from "../server/open-server.ts";
import { ServedQuestions } from "../server/served-questions.ts";
import { serverFields } from "../server/server-fields.ts";
import type { FleetQuestions } from "./fleet-questions.ts";
import { RedisQuestions } from "./redis-questions.ts";

/** Whom to ask: a server of the fleet, or its Redis. */
export const askedFleetFields = { ...serverFields, ...fleetRedisFields } as const;

/** Puts questions to the server that is given, or else to Redis. */
export async function askFleet<T>(
  config: ConfigOf<typeof askedFleetFields>,
  io: CommandProcess,
  ask: (fleet: FleetQuestions) => Promise<T>,
): Promise<T> {
  const client = openServer(config, io);
  if (client !== undefined) return await ask(new ServedQuestions(client));
  return await withFleetRedis(config, io, (redis) => ask(new RedisQuestions(redis)));
}
