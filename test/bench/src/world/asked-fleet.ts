import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { IndexEntry } from "@fleet-reloader/engine/ports/reference-index";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisClock } from "@fleet-reloader/redis/connection/redis-clock";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { RedisReferenceIndex } from "@fleet-reloader/redis/index/redis-reference-index";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { BullHolds } from "@fleet-reloader/redis/queue/bull-holds";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { inFlight } from "../api/in-flight.ts";

export interface AskedFleetSizes {
  readonly clusters: number;
  readonly workloadsEach: number;
  /** Changes of the last hour, each of one content on some clusters. */
  readonly changes: number;
  readonly clustersPerChange: number;
  readonly holds: number;
}

/** A write of one cluster at a time would take a minute for a thousand. */
const clustersAtOnce = 16;
const recordsPerWrite = 500;
const holdReasons = ["ClusterUnreachable", "BudgetUnfinished", "Frozen"] as const;

/** A freeze that a watcher has read, so that a command that declares the same does not wait for one to read it. */
export const askedFreeze = { scope: {}, reason: "bench", by: "bench" } as const;

/** The identity of a cluster: as long as a real one. */
export function fleetClusterId(at: number): string {
  return `4f2c91a7-3b58-4d0e-9c6d-${String(at).padStart(12, "0")}`;
}

export function fleetClusterName(at: number): string {
  return `cluster-${String(at).padStart(4, "0")}`;
}

/** Writes what the services of a fleet leave in Redis, by their own code: clusters, index, holds and the history of an hour. */
export async function writeAskedFleet(url: string, sizes: AskedFleetSizes): Promise<void> {
  const client = new RedisClient({ url }, new CollectedLog());
  const keys = new Keys("fleet-reloader");
  await guardShards({ client, keys });
  const clock = new RedisClock({ client, keys, local: systemClock });
  await clock.read();
  const fleet = { client, keys, clock, sizes };
  await writeClusters(fleet);
  await inFlight(
    clustersAtOnce,
    Array.from({ length: sizes.clusters }, (_, at) => at),
    (at) => writeIndex(fleet, at),
  );
  await writeHolds(fleet);
  await writeHistory(fleet);
  // A watcher would say it again and again: it has to be said after the command began.
  const saidAtMs = clock.now() + 3_600_000;
  await client.connection.zadd(keys.fleet.freezes, saidAtMs, `watcher-0 ${JSON.stringify(askedFreeze)}`);
  await client.close();
}

interface WrittenFleet {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: RedisClock;
  readonly sizes: AskedFleetSizes;
}

async function writeClusters({ client, keys, sizes }: WrittenFleet): Promise<void> {
  const all = Array.from({ length: sizes.clusters }, (_, at) => at);
  const sick = { state: "Unreachable", why: ["connect ECONNREFUSED"] } as const;
  const listed = all.map((at) => ({
    name: fleetClusterName(at),
    id: fleetClusterId(at),
    labels: { env: at % 2 === 0 ? "prod" : "test" },
    status: at % 50 === 1 ? sick : ({ state: "Ready", why: [] } as const),
  }));
  await new RedisClusterList({ client, keys }).put(listed);
  // It ends after a minute of silence, and nobody repeats it here.
  await client.connection.persist(keys.fleet.clusters);
  const owners = all.flatMap((at) => [fleetClusterId(at), `1 0 1 watcher-${at % 4}`]);
  await client.connection.hset(keys.fleet.owners, ...owners);
}

async function writeIndex({ client, keys, clock, sizes }: WrittenFleet, at: number): Promise<void> {
  const cluster = fleetClusterId(at);
  const names = { of: async () => new Map() };
  const index = new RedisReferenceIndex({ cluster, client, keys, clock, names });
  await index.open();
  const entries = Array.from({ length: sizes.workloadsEach }, (_, workload) => entryOf(workload));
  await index.put(entries);
  const its = entries.map(({ workload: { kind, namespace, name } }) => `${kind}/${namespace}/${name}`);
  await client.connection.srem(keys.cluster(cluster).unreconciled, ...its);
}

function entryOf(workload: number): IndexEntry {
  const namespace = `team-${workload % 10}`;
  return {
    workload: workloadOf(workload),
    sources: [`ConfigMap/${namespace}/settings-${workload}`, `Secret/${namespace}/credentials-${workload}`],
    patterns: [],
    scope: "",
    window: {},
  };
}

function workloadOf(at: number) {
  return { kind: "Deployment", namespace: `team-${at % 10}`, name: `application-${at}` };
}

async function writeHolds({ client, keys, clock, sizes }: WrittenFleet): Promise<void> {
  const holds = new BullHolds({ client, keys });
  const againAtMs = clock.now() + 3_600_000;
  await inFlight(
    clustersAtOnce,
    Array.from({ length: sizes.holds }, (_, at) => at),
    async (at) => {
      const request = {
        cluster: fleetClusterId(at % sizes.clusters),
        workload: workloadOf(Math.floor(at / sizes.clusters)),
      };
      const reason = holdReasons[at % holdReasons.length] ?? "";
      await holds.note(`hold-${at}`, request, { hold: { reason }, againAtMs });
    },
  );
}

/** Of each change on each cluster: that it was seen, decided on, rolled and became healthy. */
async function writeHistory({ client, keys, clock, sizes }: WrittenFleet): Promise<void> {
  let pipeline = client.connection.pipeline();
  let written = 0;
  for (let change = 0; change < sizes.changes; change += 1) {
    for (let on = 0; on < sizes.clustersPerChange; on += 1) {
      const at = (change * sizes.clustersPerChange + on) % sizes.clusters;
      for (const record of recordsOf(change, at, clock.now())) {
        pipeline.xadd(keys.history(fleetClusterId(at)), "*", "record", JSON.stringify(record));
        written += 1;
        if (written % recordsPerWrite !== 0) continue;
        await pipeline.exec();
        pipeline = client.connection.pipeline();
      }
    }
  }
  await pipeline.exec();
}

function recordsOf(change: number, at: number, nowMs: number): readonly HistoryRecord[] {
  const time = new Date(nowMs - 60_000).toISOString();
  const entry = { v: 1, time, cluster: { id: fleetClusterId(at), name: fleetClusterName(at) } } as const;
  const workload = workloadOf(change % 100);
  const source = { kind: "Secret", namespace: workload.namespace, name: `credentials-${change}` } as const;
  const id = `${fleetClusterId(at)}/${change}@${change}`;
  const actor = { manager: "kubectl-edit", operation: "Update", time };
  const sources = [{ ...source, change: id }];
  return [
    {
      ...entry,
      ...{ type: "change", change: id, fleetChange: `f1-${change}`, source, resourceVersion: "7", actor },
    },
    { ...entry, type: "decision", workload, verdict: "roll", reason: "SourceChanged", sources },
    { ...entry, type: "action", workload, action: "rolled", strategy: "annotations", sources },
    { ...entry, type: "outcome", workload, result: "healthy", reason: "Available", seconds: 12, sources },
  ];
}
