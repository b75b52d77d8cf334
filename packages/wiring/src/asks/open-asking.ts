import type { RollLimits } from "@fleet-reloader/engine/admission/roll-ledger";
import type { Explain } from "@fleet-reloader/engine/ask/explain";
import type { PlanSource } from "@fleet-reloader/engine/ask/plan-source";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { isStandIn } from "@fleet-reloader/kube/discovery/cluster-identity";
import type { KeyedRedis } from "@fleet-reloader/redis/connection/client";
import { RedisKnownDocuments } from "@fleet-reloader/redis/index/redis-known-documents";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { userAgent } from "@fleet-reloader/runtime/process/version";
import { type FreezesOptions, openFreezes } from "../freezes.ts";
import {
  type AskedClusters,
  type AskedClustersOptions,
  openAskedClusters,
  type ReachedCluster,
} from "./asked-clusters.ts";
import { type AskedKeyringOptions, askedKeyring } from "./asked-keyring.ts";
import { createQuestions } from "./questions.ts";

export interface AskingOptions {
  readonly config: AskedClustersOptions["config"] & AskedKeyringOptions["config"] & FreezesOptions["config"];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
  readonly limits: RollLimits;
  /** Undefined: Redis is not used. */
  readonly redis: KeyedRedis | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Answers questions until it is closed. */
export interface Asking {
  readonly clusters: readonly ReachedCluster[];
  /** Of each cluster that could not be reached; the message names it. */
  readonly failed: AskedClusters["failed"];
  /** What the answers leave out, one line each. */
  readonly warnings: readonly string[];
  readonly explain: Explain;
  readonly plan: PlanSource;
  close(): Promise<void>;
}

/** Opens what questions need: clusters, freezes, the keys, and Redis if it is given. Nothing of it writes. */
export async function openAsking(options: AskingOptions, signal: AbortSignal): Promise<Asking> {
  const { clock, config, env, limits, log, redis, settings } = options;
  const keyring = await askedKeyring({ config, env, clock }, signal);
  const registered = redis === undefined ? undefined : await new RedisClusterList(redis).read();
  const open = await openAskedClusters(
    { config, env, settings, clock, log, registered: registered ?? [] },
    signal,
  );
  const freezes = openFreezes({ config, env, userAgent, clock, ...knownDocuments(redis) });
  const names = new Map(open.clusters.map(({ api, name }) => [api.cluster, name]));
  const nameOf = (cluster: string) => names.get(cluster) ?? cluster;
  const { explain, plan } = createQuestions({
    freezes,
    keyring,
    limits,
    nameOf,
    redis,
    settings,
    clock,
    log,
    lifetime: signal,
  });
  const known = new Set(registered?.map(({ id }) => id));
  // Empty when no process serves clusters with this Redis now, or when the registered clusters are not known yet.
  const strangers = known.size === 0 ? [] : open.clusters.filter(({ api }) => !known.has(api.cluster));
  return {
    clusters: open.clusters,
    failed: open.failed,
    warnings: strangers.map(strangerText),
    explain,
    plan,
    async close() {
      await freezes.close();
      await open.close();
    },
  };
}

function strangerText({ api, name }: ReachedCluster): string {
  const mend = isStandIn(api.cluster)
    ? "the right to get the namespace kube-system tells which cluster it is"
    : "check --context and --redis-url";
  return `the services with this Redis do not know the cluster ${name}, so its queue, its breakers and most of its freezes are not in the answer; ${mend}`;
}

/** The services store which freeze documents existed. A question only reads that. */
export function knownDocuments(redis: KeyedRedis | undefined): Pick<FreezesOptions, "known"> {
  if (redis === undefined) return {};
  const known = new RedisKnownDocuments(redis);
  const { isOfDataDir } = known;
  return { known: { isOfDataDir, has: (name) => known.has(name), add: async () => undefined } };
}
