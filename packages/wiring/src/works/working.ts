import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { createBrakes } from "@fleet-reloader/engine/admission/brakes";
import type { Freezes } from "@fleet-reloader/engine/admission/freezes";
import { ClusterGate } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import { gatedHandler } from "@fleet-reloader/engine/admission/gate/gated-handler";
import type { RollLimits } from "@fleet-reloader/engine/admission/roll-ledger";
import type { Random } from "@fleet-reloader/engine/async/clock";
import { byPurpose, createFollower } from "@fleet-reloader/engine/follow/follow-rollout";
import { createFollowUps, type FollowUps } from "@fleet-reloader/engine/follow/follow-ups";
import { ShownEnds } from "@fleet-reloader/engine/follow/shown-ends";
import type { History } from "@fleet-reloader/engine/history/history";
import type { Tracer } from "@fleet-reloader/engine/history/tracer";
import type { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import type { ShownWorkloads } from "@fleet-reloader/engine/observe/shown-workloads";
import type { EngagedCluster } from "@fleet-reloader/engine/ports/cluster-api";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { Reporter } from "@fleet-reloader/engine/ports/reporter";
import { type ClusterId, unknownCluster } from "@fleet-reloader/engine/ports/request";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import type { Handler, Workqueue } from "@fleet-reloader/engine/ports/workqueue";
import { createReconciler } from "@fleet-reloader/engine/reconcile/reconcile-workload";
import type { Engaged, Fleet } from "@fleet-reloader/kube/fleet/fleet";
import { createKubeClusterApi } from "@fleet-reloader/kube/objects/kube-cluster-api";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { guardMarkKey } from "@fleet-reloader/redis/connection/mark-key-guard";
import type { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { RedisRolloutRuns } from "@fleet-reloader/redis/history/redis-rollout-runs";
import { RedisWorkloadRecords } from "@fleet-reloader/redis/index/redis-workload-records";
import { RedisRollLedger } from "@fleet-reloader/redis/ledger/redis-roll-ledger";
import { isForgotten } from "@fleet-reloader/redis/ownership/gone-clusters";
import { BullConsumer } from "@fleet-reloader/redis/queue/bull-consumer";
import { sha1 } from "@fleet-reloader/runtime/process/digest-key";

export interface WorkingOptions {
  readonly fleet: Fleet;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly keyring: Keyring;
  /** Start although applied states recorded with another key cannot be read. */
  readonly forgetOldKeys: boolean;
  readonly queue: Workqueue;
  readonly settings: Settings;
  readonly names: NameMatches;
  readonly concurrency: number;
  readonly clock: RedisClock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  readonly reporter: Reporter;
  /** Undefined: no history is kept. */
  readonly history: History | undefined;
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined;
  readonly onTaken: (waitedMs: number) => void;
  /** Registers an act to run before each read of the metrics. */
  readonly beforeScrape: (act: () => void) => void;
  /** Workloads that the watches show, for the worker in the same process. Undefined: the process does not both watch and work. */
  readonly shown: ShownWorkloads | undefined;
  readonly freezes: Freezes;
  readonly limits: RollLimits;
}

/** A request that takes longer returns to the queue. History, reports and connections end afterwards: the chart gives a pod 45 s. */
const drainMs = 25_000;

/** Two writes to Redis hand over the last rolls to followers. */
const followGraceMs = 1000;

/** A rollout takes at least as long as the start of a pod. */
const firstCheckMs = 5000;

/** Work under way. */
export interface Working {
  stop(): Promise<void>;
  /** Rejects when the consumer ends although nobody stopped it. */
  readonly broken: Promise<never>;
}

/** Starts to take requests from the queue and to reconcile their workloads. */
export async function startWorking(options: WorkingOptions): Promise<Working> {
  const { client, clock, fleet, keyring, keys, log, meter, onTaken, random } = options;
  await guardMarkKey(keyring, { client, keys, log, forgetOldKeys: options.forgetOldKeys });
  const lifetime = new AbortController();
  const { followUps, handler } = createHandler(options, lifetime.signal);
  // The gate gives a single cluster at most half of the slots: `concurrency` is that half.
  const slots = 2 * options.concurrency;
  const gate = new ClusterGate({
    slots,
    reachOf: (cluster) => fleet.reachOf(cluster),
    probedInMs: (cluster) => fleet.probedInMs(cluster),
    nameOf: (cluster) => fleet.get(cluster)?.name ?? unknownCluster,
    askedSinceMs: (cluster) => fleet.get(cluster)?.connection.askedSinceMs,
    clock,
    random,
    meter,
  });
  options.beforeScrape(() => gate.showIdle());
  const consumer = new BullConsumer({
    client,
    keys,
    handler: gatedHandler(handler, gate, (cluster) => isForgotten(cluster, { client, keys })),
    concurrency: slots,
    clock,
    random,
    log,
    onTaken,
  });
  consumer.start();
  return {
    broken: consumer.broken,
    async stop() {
      await consumer.stop(drainMs);
      await followUps.stop(followGraceMs);
      lifetime.abort();
    },
  };
}

/** Reconciles a workload, or follows its rollout, depending on the purpose of the request. */
function createHandler(
  options: WorkingOptions,
  lifetime: AbortSignal,
): { readonly handler: Handler; readonly followUps: FollowUps } {
  const { client, clock, fleet, freezes, keyring, keys, limits, log, meter, names } = options;
  const { queue, random, reporter, settings, tracer } = options;
  // The engine distinguishes an absent history from an undefined one.
  const history = options.history === undefined ? {} : { history: options.history };
  const engaged = engagedClusters(fleet, settings);
  const nameOf = (cluster: ClusterId) => fleet.get(cluster)?.name ?? cluster;
  const ledger = new RedisRollLedger({ client, keys, limits });
  const brakes = createBrakes({ freezes, ledger, clock, random, nameOf });
  const runs = new RedisRolloutRuns({ client, keys });
  const shown = options.shown?.rollouts;
  const following = {
    engaged,
    runs,
    settings,
    firstCheckMs,
    shown,
    clock,
    log,
    meter,
    reporter,
    tracer,
    onSettled: brakes.settled,
    ...history,
  };
  const watched = shown && { shown, ends: new ShownEnds({ ...following, shown, queue, lifetime }) };
  const followUps = createFollowUps({ runs, queue, firstCheckMs, watched, clock, log });
  const reconcile = createReconciler({
    engaged,
    queue,
    records: new RedisWorkloadRecords({ client, keys, log }),
    keys: keyring,
    sha1,
    names,
    settings,
    clock,
    random,
    log,
    meter,
    reporter,
    tracer,
    followUps,
    brakes,
    shown: options.shown,
    lifetime,
    ...history,
  });
  return { handler: byPurpose(reconcile, createFollower(following)), followUps };
}

/** Keyed by engagement instead of cluster: a cluster that is engaged again has another connection. */
function engagedClusters(fleet: Fleet, settings: Settings) {
  const known = new WeakMap<Engaged, EngagedCluster>();
  return async (cluster: ClusterId): Promise<EngagedCluster | undefined> => {
    const found = fleet.get(cluster);
    if (found === undefined) return undefined;
    const before = known.get(found);
    if (before !== undefined) return before;
    const { scope, workloadKinds } = settings;
    const made = {
      name: found.name,
      api: createKubeClusterApi(cluster, found.connection, workloadKinds, scope.sourceSelector),
      get labels() {
        return found.labels;
      },
    };
    known.set(found, made);
    return made;
  };
}
