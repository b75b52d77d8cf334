import { createBrakes } from "@fleet-reloader/engine/admission/brakes";
import type { Freezes } from "@fleet-reloader/engine/admission/freezes";
import type { RollLedger, RollLimits } from "@fleet-reloader/engine/admission/roll-ledger";
import { createExplain, type Explain } from "@fleet-reloader/engine/ask/explain";
import { createPlanSource, type PlanSource } from "@fleet-reloader/engine/ask/plan-source";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import type { WorkloadRecord } from "@fleet-reloader/engine/ports/workload-records";
import type { KeyedRedis } from "@fleet-reloader/redis/connection/client";
import { RedisWorkloadRecords } from "@fleet-reloader/redis/index/redis-workload-records";
import { RedisRollLedger } from "@fleet-reloader/redis/ledger/redis-roll-ledger";
import { latestRoll } from "@fleet-reloader/redis/overview/latest-roll";
import { RedisQueueView } from "@fleet-reloader/redis/queue/redis-queue-view";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import { sha1 } from "@fleet-reloader/runtime/process/digest-key";
import type { AskedKeyring } from "./asked-keyring.ts";

export interface QuestionsOptions {
  readonly freezes: Freezes;
  readonly keyring: AskedKeyring;
  readonly limits: RollLimits;
  readonly nameOf: (cluster: ClusterId) => string;
  /** Undefined: Redis is not used. */
  readonly redis: KeyedRedis | undefined;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifetime: AbortSignal;
  /** How many workloads a plan reads at once; undefined: as many as suit a process that does nothing else. */
  readonly usersAtOnce?: number;
}

/** Creates the functions that answer questions about clusters. Nothing of it writes. */
export function createQuestions(options: QuestionsOptions): {
  readonly explain: Explain;
  readonly plan: PlanSource;
} {
  const { clock, freezes, keyring, lifetime, limits, log, nameOf, redis, settings } = options;
  // No randomness: the same question has the same answer.
  const random = () => 0;
  const explaining = {
    brakes: createBrakes({ freezes, ledger: ledgerOf(redis, limits), clock, random, nameOf }),
    clock,
    settings,
    sha1,
    lifetime,
    keys: keyring.keys,
    areKeysShared: keyring.areKeysShared,
    names: new NameMatches({ compile: createPatternCompiler(), clock }),
    queue: redis && new RedisQueueView(redis),
    records:
      redis === undefined
        ? { read: async () => nothingRemembered }
        : new RedisWorkloadRecords({ client: redis.client, keys: redis.keys, log }),
  };
  return {
    explain: withLatestRoll(createExplain(explaining), redis),
    plan: createPlanSource({ ...explaining, usersAtOnce: options.usersAtOnce }),
  };
}

/** Only the history knows how the last roll failed, and who discarded it. */
function withLatestRoll(explain: Explain, redis: KeyedRedis | undefined): Explain {
  if (redis === undefined) return explain;
  return async (request, cluster, aborted) => {
    const explained = await explain(request, cluster, aborted);
    return Object.assign({}, explained, await latestRoll(request, redis, aborted));
  };
}

const nothingRemembered: WorkloadRecord = {
  appliedText: undefined,
  appliedAtSeconds: undefined,
  seen: undefined,
  served: undefined,
};

/** Without Redis, other rolls are unknown. */
function ledgerOf(redis: KeyedRedis | undefined, limits: RollLimits): RollLedger {
  if (redis !== undefined) return new RedisRollLedger({ client: redis.client, keys: redis.keys, limits });
  const done = async () => undefined;
  const go = async () => ({ type: "go" }) as const;
  return { admit: go, check: go, withdraw: done, settled: done };
}
