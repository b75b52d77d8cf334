import { asFault } from "@fleet-reloader/domain/fault";
import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import { coveredByFreeze, freezeCoverageText } from "@fleet-reloader/engine/act/covered-by-freeze";
import { readByWatchers, unheldText, unknownCoverageText } from "@fleet-reloader/engine/act/freeze-reading";
import { answerWithin } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { KeyedRedis, RedisAddress } from "@fleet-reloader/redis/connection/client";
import { RedisFreezeReadings } from "@fleet-reloader/redis/history/redis-recorded-freezes";
import { indexedWorkloads } from "@fleet-reloader/redis/index/indexed-workloads";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import { embeddedRedis } from "../redis/fleet-redis.ts";
import { openIfUsed } from "../redis/used-redis.ts";

/** What a freeze covers. */
export interface Covered {
  /** The same in a sentence, for people. */
  readonly says: string;
  /** False: nothing that is known here. */
  readonly covers: boolean | "unknown";
}

export interface CoverageOptions {
  /** Undefined: no Redis is named. */
  readonly login: (() => Promise<RedisAddress>) | undefined;
  readonly dataDir: string;
  /** The place of the document that the freeze was written to, for people. */
  readonly document: string;
  /** The freeze was written to a ConfigMap of a hub. */
  readonly isInHub: boolean;
  /** The freeze was written to a file that was named. Processes elsewhere may read it. */
  readonly isFileNamed: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Asks Redis what a freeze that was written covers: the Redis that is named, or the embedded one of the data dir. One that would cover something
 * covers nothing until a process has read its document.
 */
export async function coverageNow(freeze: Freeze, options: CoverageOptions): Promise<Covered> {
  const { clock, dataDir, document, isFileNamed, isInHub, log, login } = options;
  const embedded = embeddedRedis(dataDir);
  // Also with a Redis: its workers have data dirs of their own.
  if (!isInHub && !isFileNamed && embedded === undefined)
    return {
      says: `no embedded Redis runs in the data dir ${dataDir}: no known fleet-reloader reads this file. Name what the workers read: --freeze-configmap NAMESPACE/NAME or --freeze-file FILE`,
      covers: false,
    };
  const ask = login ?? (isInHub || embedded === undefined ? undefined : async () => embedded);
  if (ask === undefined)
    return {
      says: "it is not known here what the freeze covers; give --redis-url to find out",
      covers: "unknown",
    };
  try {
    const redis = await openIfUsed(await ask(), { clock, log });
    if (redis === undefined) return nobodyServes;
    return await askRedis(redis, freeze, { clock, document }).finally(() => redis.client.close());
  } catch (error) {
    return { says: unknownCoverageText(asFault(error).message), covers: false };
  }
}

/** A person waits, and a fleet has many workloads. */
export const coveragePatienceMs = 20_000;

const nobodyServes: Covered = {
  says: "it covers nothing: no fleet-reloader serves clusters with this Redis now",
  covers: false,
};

async function askRedis(
  { client, keys }: KeyedRedis,
  freeze: Freeze,
  { clock, document }: Pick<CoverageOptions, "clock" | "document">,
): Promise<Covered> {
  const late = `--redis-url: no answer within ${coveragePatienceMs / 1000} s`;
  const looked = coveredIn({ client, keys, clock }, freeze);
  const found = await answerWithin(coveragePatienceMs, clock, looked, late);
  if (found === undefined) return nobodyServes;
  const says = freezeCoverageText(found);
  if (found.missing !== undefined) return { says, covers: false };
  const readings = new RedisFreezeReadings({ client, keys });
  const reading = await readByWatchers(freeze, { readings, clock }, new AbortController().signal);
  if (reading === "read") return { says, covers: true };
  const covers = reading === "unread" ? false : "unknown";
  return { says: unheldText(reading, { document, mend: "Name" }), covers };
}

/** The index of a fleet, for one question. */
export interface AskedIndex extends KeyedRedis {
  readonly clock: Clock;
}

/** What a freeze covers of the clusters that are registered now; undefined: nobody serves clusters. */
export async function coveredIn({ client, clock, keys }: AskedIndex, { scope }: Freeze) {
  const registered = await new RedisClusterList({ client, keys }).read();
  return (
    registered &&
    (await coveredByFreeze(scope, registered, {
      managed: (id) => indexedWorkloads(id, { client, keys }),
      names: new NameMatches({ compile: createPatternCompiler(), clock }),
    }))
  );
}
