import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import type { HeldRequest } from "@fleet-reloader/engine/admission/held-requests";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type {
  ClusterOverview,
  FleetOverview,
  ManagedWorkload,
  QueueOverview,
  UnfinishedRolls,
} from "@fleet-reloader/engine/overview/fleet-overview";
import type { ClusterId, Request } from "@fleet-reloader/engine/ports/request";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { readRecordedFreezes, readUnreadableFreezes } from "../history/redis-recorded-freezes.ts";
import { countClusters } from "../index/cluster-counts.ts";
import { indexedWorkloads } from "../index/indexed-workloads.ts";
import { readUnfinished } from "../ledger/unfinished-rolls.ts";
import { readView } from "../ownership/ownership-view.ts";
import { RedisClusterList } from "../ownership/redis-cluster-list.ts";
import { readClusterReports } from "../ownership/redis-cluster-reports.ts";
import { BullHolds } from "../queue/bull-holds.ts";
import { countWork } from "../queue/bull-work.ts";
import type { BullWorkqueue } from "../queue/bull-workqueue.ts";

export interface RedisFleetOverviewOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** Read only. */
  readonly queue: Pick<BullWorkqueue, "queues">;
  /** Redis' own clock; ages are computed with it. */
  readonly clock: Clock;
}

/** The entry that waits longest is among the first ones, unless ranks differ a lot. */
const firstEntries = 50;

/** Reads the state of a fleet from Redis. Every read is bounded by the number of clusters, or of returned items. */
export class RedisFleetOverview implements FleetOverview {
  readonly #options: RedisFleetOverviewOptions;
  readonly #redis: Pick<RedisFleetOverviewOptions, "client" | "keys">;
  readonly #holds: BullHolds;

  constructor(options: RedisFleetOverviewOptions) {
    this.#options = options;
    this.#redis = { client: options.client, keys: options.keys };
    this.#holds = new BullHolds(this.#redis);
  }

  async clusters(): Promise<readonly ClusterOverview[] | undefined> {
    const { client, keys } = this.#redis;
    const [listed, owners] = await Promise.all([
      new RedisClusterList(this.#redis).read(),
      client.connection.hgetall(keys.fleet.owners),
    ]);
    const { owners: records } = readView([], Object.entries(owners).flat());
    if (listed === undefined) return undefined;
    const [reportOf, countsOf] = await Promise.all([
      readClusterReports(this.#redis, records),
      countClusters(
        listed.flatMap(({ id }) => id ?? []),
        this.#redis,
      ),
    ]);
    return listed.map(({ id = "", labels, name, status }) => {
      const { rollouts = 0, unobserved = 0, workloads = 0 } = countsOf.get(id) ?? {};
      const known = id === "" ? undefined : id;
      const [watcher, report] = [records.get(id)?.owner, reportOf(id)];
      return { name, id: known, labels, status, watcher, workloads, unobserved, rollouts, report };
    });
  }

  async queue(): Promise<QueueOverview> {
    const { queue, clock } = this.#options;
    const [work, laterOnes, onHold, entries] = await Promise.all([
      countWork({ queues: queue.queues, holds: this.#holds, clock, horizonMs: 0 }),
      Promise.all(queue.queues.map((each) => each.getDelayedCount())),
      this.#holds.of(queue.queues).count(),
      Promise.all(
        queue.queues.map((each) => each.getJobs(["waiting", "prioritized"], 0, firstEntries - 1, true)),
      ),
    ]);
    // An entry that was taken up between two reads is undefined.
    const addedAtMs = entries.flat().flatMap((entry) => entry?.timestamp ?? []);
    const oldestMs = addedAtMs.length === 0 ? undefined : Math.max(0, clock.now() - Math.min(...addedAtMs));
    // Read one after the other: a hold may be stored a moment before its request is put back.
    const delayed = Math.max(0, laterOnes.reduce((sum, count) => sum + count, 0) - onHold);
    return { ...work, oldestMs, delayed };
  }

  async holds(): Promise<readonly HeldRequest[]> {
    return await this.#holds.list();
  }

  async freezes(): Promise<readonly Freeze[]> {
    return await readRecordedFreezes(this.#redis);
  }

  async unreadableFreezes(): Promise<string | undefined> {
    return await readUnreadableFreezes(this.#redis);
  }

  async managed(cluster: ClusterId, namespace = ""): Promise<readonly ManagedWorkload[]> {
    return await indexedWorkloads(cluster, this.#redis, namespace);
  }

  async unfinished(request: Request): Promise<readonly UnfinishedRolls[]> {
    return await readUnfinished(request, this.#redis);
  }
}
