import { asFault } from "@fleet-reloader/domain/fault";
import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import { answerWithin } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { CommandProcess } from "../frame/command.ts";
import { knownRedisAddress } from "../redis/fleet-redis.ts";
import { openIfUsed } from "../redis/used-redis.ts";
import { type AskedIndex, coveragePatienceMs, coveredIn } from "./coverage.ts";
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
  if (freezes.length === 0) return [];
  try {
    const address = await knownRedisAddress(config, env);
    const redis = address && (await openIfUsed(address, { clock, log }));
    if (redis === undefined) return [];
    const { client, keys } = redis;
    const late = `--redis-url: no answer within ${coveragePatienceMs / 1000} s`;
    const asked = askEachFreeze(freezes, { client, keys, clock });
    return await answerWithin(coveragePatienceMs, clock, asked, late).finally(() => client.close());
  } catch (error) {
    stderr.write(`warning: it is not known what the freezes cover: ${asFault(error).message}\n`);
    return [];
  }
}

async function askEachFreeze(
  freezes: readonly Freeze[],
  { client, clock, keys }: AskedIndex,
): Promise<readonly (string | undefined)[]> {
  const missing: (string | undefined)[] = [];
  // One after another: each may read the workloads of all clusters.
  for (const freeze of freezes) missing.push((await coveredIn({ client, keys, clock }, freeze))?.missing);
  return missing;
}
