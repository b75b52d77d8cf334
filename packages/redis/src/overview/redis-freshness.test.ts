import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedisCluster } from "@fleet-reloader/testkit/redis-cluster";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { expect, test } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";
import { HistoryReader } from "../history/history-reader.ts";
import { RedisHistory } from "../history/redis-history.ts";
import { RedisClusterList } from "../ownership/redis-cluster-list.ts";
import { RedisFreshness } from "./redis-freshness.ts";

const atOnce = { quietPeriodMs: 0, maxWaitMs: 0, purpose: "change" } as const;

async function openBed(url: string) {
  const bed = await startQueue(url, undefined, { shards: 4 });
  const { client, keys } = bed;
  const log = new CollectedLog();
  const meter = new CountingMeter();
  const clock = wallClock;
  const write = async (cluster: string) => {
    const history = new RedisHistory({
      client,
      keys,
      log,
      meter,
      clock,
      retentionMs: 60_000,
      lengthMax: 100,
    });
    const head = { v: 1, time: "2026-01-01T00:00:00.000Z", cluster: { id: cluster, name: cluster } } as const;
    history.append([{ ...head, type: "operator", action: "retry", by: "ann", target: "fleet", note: "" }]);
    await history.stop(60_000);
  };
  const lastLine = async () => {
    const ids: string[] = [];
    for await (const { id } of new HistoryReader(bed).read({ since: { ms: 0 }, limit: 100 })) ids.push(id);
    return ids.at(-1);
  };
  return { bed, freshness: new RedisFreshness(bed), write, lastLine };
}

async function followsHistory(url: string, flush: boolean): Promise<void> {
  const { bed, freshness, lastLine, write } = await openBed(url);
  await using _ = bed;
  expect(await freshness.historyEnd()).toMatchObject({ id: "", added: [0, 0, 0, 0] });
  const ends = [];
  for (const cluster of ["a", "b", "c", "d", "e"]) {
    await write(cluster);
    ends.push(await freshness.historyEnd());
  }
  const last = ends.at(-1);
  expect(new Set(ends.map(({ ids }) => ids.join())).size).toBe(5);
  expect(last?.added.reduce((sum, count) => sum + count, 0)).toBe(5);
  // Waits for another millisecond: the reader returns only older records.
  await expect.poll(lastLine, { timeout: 300_000 }).toBe(last?.id);
  // Removing old records is no loss.
  for (const stream of bed.keys.histories) await bed.client.connection.xtrim(stream, "MAXLEN", 0);
  expect(await freshness.historyEnd()).toEqual(last);
  if (!flush) return;
  await bed.client.connection.flushall();
  expect(await freshness.historyEnd()).toMatchObject({ id: "", added: [0, 0, 0, 0] });
}

test("a record in any shard moves the end of the history, and a wipe moves it back", async () => {
  await using redis = await startRedis();
  await followsHistory(redis.url, true);
});

test("the end of the history is known on a Redis Cluster, too", async () => {
  await using redis = await startRedisCluster();
  await followsHistory(redis.url, false);
});

test("what is put into the queue, or listed, is another version of its topic alone", async () => {
  await using redis = await startRedis();
  const { bed, freshness } = await openBed(redis.url);
  await using _ = bed;
  const before = await freshness.versions();
  expect(await freshness.versions()).toEqual(before);
  const workload = { kind: "Deployment", namespace: "ns", name: "api" };
  await bed.queue.add([{ request: { cluster: "c1", workload }, ...atOnce }]);
  const queued = await freshness.versions();
  expect(queued.queue).not.toBe(before.queue);
  expect([queued.held, queued.clusters]).toEqual([before.held, before.clusters]);
  await new RedisClusterList(bed).put([{ name: "nova", labels: {}, id: "c1" }]);
  const listed = await freshness.versions();
  expect([listed.queue, listed.held]).toEqual([queued.queue, queued.held]);
  expect(listed.clusters).not.toBe(queued.clusters);
});
