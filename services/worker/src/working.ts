import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { createBrakes } from "@fleet-reloader/engine/admission/brakes";
import type { Freezes } from "@fleet-reloader/engine/admission/freezes";
import { ClusterGate } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import { gatedHandler } from "@fleet-reloader/engine/admission/gate/gated-handler";
import type { RollLimits } from "@fleet-reloader/engine/admission/roll-ledger";
import type { Random } from "@fleet-reloader/engine/async/clock";
import { byPurpose, createFollower } from "@fleet-reloader/engine/follow/follow-rollout";
import { createFollowUps } from "@fleet-reloader/engine/follow/follow-ups";
import type { History } from "@fleet-reloader/engine/history/history";
import type { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import type { EngagedCluster } from "@fleet-reloader/engine/ports/cluster-api";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { Reporter } from "@fleet-reloader/engine/ports/reporter";
import { type ClusterId, unknownCluster } from "@fleet-reloader/engine/ports/request";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import type { Workqueue } from "@fleet-reloader/engine/ports/workqueue";
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
  /** Start although notes of another key cannot be read. */
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
  /** Undefined: nothing is kept. */
  readonly history: History | undefined;
  readonly onTaken: (waitedMs: number) => void;
  readonly freezes: Freezes;
  readonly limits: RollLimits;
}

/** A request is given back after this long. History, reports and connections end afterwards: the chart gives a pod 45 s. */
const drainMs = 25_000;

/** Rolls of the last moment: two writes to Redis, when it is there. */
const followGraceMs = 1000;

/** A rollout takes at least the start of a pod. */
const firstCheckMs = 5000;

/** Work under way. */
export interface Working {
  stop(): Promise<void>;
  /** Rejects when requests are no longer taken although nobody stopped it. */
  readonly broken: Promise<never>;
}

/** The working half of the product: takes requests from the queue and reconciles their workloads. */
export async function startWorking(options: WorkingOptions): Promise<Working> {
  await guardMarkKey(options.keyring, options);
  const lifetime = new AbortController();
  // By engagement, not by cluster: what is gone is forgotten, and what is engaged anew is another.
  const known = new WeakMap<Engaged, EngagedCluster>();
  const engaged = async (cluster: ClusterId): Promise<EngagedCluster | undefined> => {
    const found = options.fleet.get(cluster);
    if (found === undefined) return undefined;
    const before = known.get(found);
    if (before !== undefined) return before;
    const made = {
      name: found.name,
      api: createKubeClusterApi(
        cluster,
        found.connection,
        options.settings.workloadKinds,
        options.settings.scope.sourceSelector,
      ),
      get labels() {
        return found.labels;
      },
    };
    known.set(found, made);
    return made;
  };
  const { history: kept, ...others } = options;
  const told = { ...others, ...(kept === undefined ? {} : { history: kept }), engaged };
  const nameOf = (cluster: ClusterId) => options.fleet.get(cluster)?.name ?? cluster;
  const brakes = createBrakes({ ...options, nameOf, ledger: new RedisRollLedger(options) });
  const following = { runs: new RedisRolloutRuns(options), firstCheckMs, onSettled: brakes.settled };
  const followUps = createFollowUps({ ...options, ...following });
  const reconcile = createReconciler({
    ...{ ...told, brakes, followUps, sha1 },
    records: new RedisWorkloadRecords(options),
    keys: options.keyring,
    lifetime: lifetime.signal,
  });
  const { fleet } = options;
  // The gate gives a cluster that is alone at most half of the slots: that half is what is asked for.
  const slots = 2 * options.concurrency;
  const gate = new ClusterGate({
    ...options,
    slots,
    nameOf: (cluster) => fleet.get(cluster)?.name ?? unknownCluster,
    reachOf: (cluster) => fleet.reachOf(cluster),
  });
  const gated = byPurpose(reconcile, createFollower({ ...told, ...following }));
  const handler = gatedHandler(gated, gate, (cluster) => isForgotten(cluster, options));
  const consumer = new BullConsumer({ ...options, handler, concurrency: slots });
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
