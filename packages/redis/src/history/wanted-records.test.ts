import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, expect, test } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";
import { HistoryProjection } from "../overview/history-projection.ts";
import { RedisClusterList } from "../ownership/redis-cluster-list.ts";
import { HistoryReader } from "./history-reader.ts";

const redis = await startRedis();
afterAll(() => redis[Symbol.asyncDispose]());

/** A record from a process that used this name for the cluster. */
function recordOf(id: string, name: string): HistoryRecord {
  const workload = { kind: "Deployment", namespace: "shop", name: "api" };
  return {
    ...{ v: 1, time: "2026-07-01T12:00:00.000Z", type: "action", action: "rolled" },
    ...{ cluster: { id, name }, workload, strategy: "annotations", sources: [] },
  };
}

// The standby registration has the same id as the serving one.
test.each([
  ["east", ["otech62", "east"]],
  ["standby", ["otech62", "east"]],
  ["otech62", ["otech62"]],
  ["c1", ["otech62", "east"]],
  ["nova", ["nova"]],
])("the history of %s has what was recorded under %j", async (cluster, recorded) => {
  await using bed = await startQueue(redis.url, undefined, { shards: 1 });
  const { client, clock, keys } = bed;
  const listed = { labels: {} };
  await new RedisClusterList(bed).put([
    { ...listed, name: "east", id: "c1" },
    { ...listed, name: "standby", id: "c1" },
    { ...listed, name: "nova", id: "c2" },
  ]);
  for (const [id, name] of [
    ["c1", "otech62"],
    ["c1", "east"],
    ["c2", "nova"],
  ] as const)
    await client.connection.xadd(keys.history(id), "*", "record", JSON.stringify(recordOf(id, name)));
  const reader = new HistoryReader(bed);
  const projection = new HistoryProjection({ client, keys, reader, clock });
  const query = { since: { ms: 0 }, limit: 10, cluster };
  const namesOf = (records: readonly HistoryRecord[]) => records.map((record) => record.cluster?.name);
  expect(namesOf(await projection.records(query))).toEqual(recorded);
  projection.close();
  const read = async () => namesOf(await reader.records(query));
  await expect.poll(read, { timeout: 300_000 }).toEqual(recorded);
});
