import { againWhenFree } from "@fleet-reloader/engine/ports/request";
import { atOnce, change } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { patienceMs } from "@fleet-reloader/testkit/until";
import { afterAll, expect, test, vi } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";
import { RedisRolloutRuns } from "../history/redis-rollout-runs.ts";
import { RedisClusterList } from "../ownership/redis-cluster-list.ts";
import { RedisFleetOverview } from "./redis-fleet-overview.ts";

const redis = await startRedis();
afterAll(() => redis[Symbol.asyncDispose]());

const anHour = { quietPeriodMs: 3_600_000, maxWaitMs: 3_600_000 };

test("a request that waits for its quiet period is delayed, and one on hold is not", async () => {
  await using bed = await startQueue(redis.url, undefined, { shards: 2 });
  const overview = new RedisFleetOverview(bed);
  expect(await overview.queue()).toMatchObject({ delayed: 0, oldestMs: undefined });
  await bed.queue.add([change("api", anHour), change("web", anHour)]);
  expect(await overview.queue()).toMatchObject({ delayed: 2, waiting: 0, oldestMs: undefined });
  bed.handle(async () => againWhenFree({ type: "hold", reason: "Frozen", afterMs: 600_000 }));
  await bed.queue.add([atOnce("held")]);
  const isHeld = async () => expect(await overview.holds()).toMatchObject([{ reason: "Frozen" }]);
  await vi.waitFor(isHeld, { timeout: patienceMs });
  const isPutBack = async () => expect(await overview.queue()).toMatchObject({ active: 0, delayed: 2 });
  await vi.waitFor(isPutBack, { timeout: patienceMs });
});

test("a rollout that has failed rolls no more, although its recovery is awaited", async () => {
  await using bed = await startQueue(redis.url, undefined, { shards: 2 });
  const overview = new RedisFleetOverview(bed);
  await new RedisClusterList(bed).put([{ name: "nova", id: "c1", labels: {} }]);
  const runs = new RedisRolloutRuns(bed);
  const run = { rolledAtMs: 1, sources: [] };
  const [failing, slow] = ["failing", "slow"].map((name) => ({
    request: { cluster: "c1", workload: { kind: "Deployment", namespace: "shop", name } },
    run,
  }));
  if (failing === undefined || slow === undefined) throw new Error("two are made above");
  await runs.start([failing, slow]);
  expect(await overview.clusters()).toMatchObject([{ rollouts: 2 }]);
  const kept = { run: { ...run, badEnd: { uid: "u1", atMs: 2 } }, lookAtMs: 3 };
  expect(await runs.end([{ ...failing, kept }])).toEqual([true]);
  expect(await overview.clusters()).toMatchObject([{ rollouts: 1 }]);
});
