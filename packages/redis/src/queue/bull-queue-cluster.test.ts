import { adoption, atOnce, recordRuns } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { workqueueContract } from "@fleet-reloader/testkit/contracts/workqueue-contract";
import { startRedisCluster, type TestRedisCluster } from "@fleet-reloader/testkit/redis-cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { patientLockMs, startQueue } from "../fixture/queue-bed.ts";

let redis: TestRedisCluster;
beforeAll(async () => {
  redis = await startRedisCluster();
});
afterAll(() => redis[Symbol.asyncDispose]());

const shards = 4;

describe.concurrent("BullWorkqueue and BullConsumer on a Redis Cluster, in shards", () => {
  workqueueContract(() => startQueue(redis.url, undefined, { shards, lockMs: patientLockMs }));

  test("requests of many clusters go to their shards, and each runs once", async () => {
    await using bed = await startQueue(redis.url, undefined, { shards });
    const clusters = Array.from({ length: 12 }, (_, i) => `cluster-${i}`);
    const inCluster = (cluster: string) => {
      const { request, ...rest } = atOnce();
      return { ...rest, request: { ...request, cluster } };
    };
    await bed.queue.add(clusters.map(inCluster));
    expect(await bed.queue.depth()).toBe(12);
    const waiting = await Promise.all(bed.queue.queues.map((queue) => queue.getWaiting()));
    expect(waiting.filter((jobs) => jobs.length > 0).length).toBeGreaterThan(1);
    for (const [shard, jobs] of waiting.entries())
      for (const job of jobs) expect(bed.keys.shardOf(job.data.cluster)).toBe(shard);
    const runs = recordRuns(bed, () => ({ type: "done", outcome: "unchanged" }));
    await bed.until("all ran", () => runs.length === clusters.length);
    await bed.queue.add([adoption()]);
    await bed.until("and one more", () => runs.length === clusters.length + 1);
  });
});
