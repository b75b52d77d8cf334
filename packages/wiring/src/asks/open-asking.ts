import { type Brakes, createBrakes } from "@fleet-reloader/engine/admission/brakes";
import type { RollLedger, RollLimits } from "@fleet-reloader/engine/admission/roll-ledger";
import { createExplain, type Explain, type ExplainOptions } from "@fleet-reloader/engine/ask/explain";
import { createPlanSource, type PlanSource } from "@fleet-reloader/engine/ask/plan-source";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import type { WorkloadRecord } from "@fleet-reloader/engine/ports/workload-records";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisKnownDocuments } from "@fleet-reloader/redis/index/redis-known-documents";
import { RedisWorkloadRecords } from "@fleet-reloader/redis/index/redis-workload-records";
import { RedisRollLedger } from "@fleet-reloader/redis/ledger/redis-roll-ledger";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { RedisQueueView } from "@fleet-reloader/redis/queue/redis-queue-view";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import { sha1 } from "@fleet-reloader/runtime/process/digest-key";
import { userAgent } from "@fleet-reloader/runtime/process/version";
import { type FreezesOptions, openFreezes } from "../freezes.ts";
import { type AskedClustersOptions, openAskedClusters, type ReachedCluster } from "./asked-clusters.ts";
import { type AskedKeyringOptions, askedKeyring } from "./asked-keyring.ts";

export interface AskingOptions {
  readonly config: AskedClustersOptions["config"] & AskedKeyringOptions["config"] & FreezesOptions["config"];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
  readonly limits: RollLimits;
  /** Undefined: Redis is not asked. */
  readonly redis: AskedRedis | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The Redis of the services, and how its keys are laid out. */
export interface AskedRedis {
  readonly client: RedisClient;
  readonly keys: Keys;
}

/** Whoever answers questions, until it is closed. */
export interface Asking {
  readonly clusters: readonly ReachedCluster[];
  readonly explain: Explain;
  readonly plan: PlanSource;
  close(): Promise<void>;
}

/** Opens what questions need: clusters, freezes, the keys, and Redis where it is given. Nothing of it writes. */
export async function openAsking(options: AskingOptions, signal: AbortSignal): Promise<Asking> {
  const { clock, config, env, log, redis, settings } = options;
  const keyring = await askedKeyring({ config, env, clock }, signal);
  const registered = redis === undefined ? undefined : await new RedisClusterList(redis).read();
  const open = await openAskedClusters(
    { config, env, settings, clock, log, registered: registered ?? [] },
    signal,
  );
  const freezes = openFreezes({ config, env, userAgent, clock, ...knownDocuments(redis) });
  const names = new Map(open.clusters.map(({ api, name }) => [api.cluster, name]));
  const nameOf = (cluster: string) => names.get(cluster) ?? cluster;
  // Without chance: the same question has the same answer.
  const random = () => 0;
  const brakes = createBrakes({ freezes, ledger: ledgerOf(options), clock, random, nameOf });
  const explaining = explainOptions(options, { brakes, keyring, signal });
  return {
    clusters: open.clusters,
    explain: createExplain(explaining),
    plan: createPlanSource(explaining),
    async close() {
      await freezes.close();
      await open.close();
    },
  };
}

interface OpenParts {
  readonly brakes: Pick<Brakes, "check">;
  readonly keyring: Awaited<ReturnType<typeof askedKeyring>>;
  readonly signal: AbortSignal;
}

function explainOptions(
  { clock, log, redis, settings }: AskingOptions,
  { brakes, keyring, signal }: OpenParts,
): ExplainOptions {
  return {
    brakes,
    clock,
    settings,
    sha1,
    lifetime: signal,
    keys: keyring.keys,
    areKeysShared: keyring.areKeysShared,
    names: new NameMatches({ compile: createPatternCompiler(), clock }),
    queue: redis && new RedisQueueView(redis),
    records:
      redis === undefined
        ? { read: async () => nothingRemembered }
        : new RedisWorkloadRecords({ client: redis.client, keys: redis.keys, log }),
  };
}

const nothingRemembered: WorkloadRecord = {
  appliedText: undefined,
  appliedAtSeconds: undefined,
  seen: undefined,
  served: undefined,
};

/** Without Redis nothing is known of other rolls. */
function ledgerOf({ redis, limits }: AskingOptions): RollLedger {
  if (redis !== undefined) return new RedisRollLedger({ client: redis.client, keys: redis.keys, limits });
  const done = async () => undefined;
  const go = async () => ({ type: "go" }) as const;
  return { admit: go, check: go, withdraw: done, settled: done };
}

/** The services remember which freeze documents there were. A question only reads that. */
function knownDocuments(redis: AskedRedis | undefined): Pick<FreezesOptions, "known"> {
  if (redis === undefined) return {};
  const known = new RedisKnownDocuments(redis);
  return { known: { has: (name) => known.has(name), add: async () => undefined } };
}
