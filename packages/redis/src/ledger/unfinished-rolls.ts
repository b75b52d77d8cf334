import { blockersMax } from "@fleet-reloader/engine/admission/roll-ledger";
import type { UnfinishedRolls } from "@fleet-reloader/engine/overview/fleet-overview";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { KeyedRedis } from "../connection/client.ts";
import { levelsOf, requestOf } from "./redis-roll-ledger.ts";

/** The rollouts that each budget of a request counts as unfinished, oldest first, at most `blockersMax`. Takes nothing from the budgets. */
export async function readUnfinished(
  request: Request,
  { client, keys }: KeyedRedis,
): Promise<readonly UnfinishedRolls[]> {
  return await Promise.all(
    levelsOf(request).map(async ({ name, key }) => {
      const leases = `${keys.rollLedger}:b:${key}:leases`;
      const rolls = await client.connection.zrange(leases, "0", String(blockersMax - 1));
      return { level: name, requests: rolls.flatMap(requestOf) };
    }),
  );
}
