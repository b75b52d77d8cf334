import type { Addition } from "@fleet-reloader/engine/ports/workqueue";
import { adoption, atOnce, recordRuns } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type QueueBed, startQueue } from "../fixture/queue-bed.ts";
import { FairShares } from "./fair-shares.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const of = (cluster: string, addition: Addition): Addition => ({
  ...addition,
  request: { ...addition.request, cluster },
});

function storm(cluster: string, count: number, make = atOnce): readonly Addition[] {
  return Array.from({ length: count }, (_, at) => of(cluster, make(`w${at}`)));
}

/** Takes requests and records their clusters; each run lets others proceed. */
function order(bed: QueueBed): readonly string[] {
  const clusters: string[] = [];
  bed.handle(async ({ cluster }) => {
    clusters.push(cluster);
    return { type: "done", outcome: "unchanged" };
  });
  return clusters;
}

describe("a storm of 2,000 requests in one cluster", () => {
  test("keeps one request of another waiting for a few, not for the rest of it", async () => {
    await using bed = await startQueue(redis.url, "one-storm");
    await bed.queue.add(storm("a", 2000));
    const taken = order(bed);
    await bed.until("the storm is under way", () => taken.length > 100);
    await bed.queue.add([of("b", atOnce())]);
    const when = taken.length;
    await bed.until("the other is handled", () => taken.includes("b"));
    // Already taken ones, plus those that the 8 slots take before Redis has answered the addition.
    expect(taken.indexOf("b") - when).toBeLessThan(50);
    await bed.until("all are handled", () => taken.length === 2001);
  });

  test("that comes with another of the same size takes turns with it", async () => {
    await using bed = await startQueue(redis.url, "two-storms");
    await bed.queue.add(storm("a", 1000));
    await bed.queue.add(storm("b", 1000));
    const taken = order(bed);
    await bed.until("all are handled", () => taken.length === 2000);
    for (const count of [200, 600, 1000, 1400]) {
      const share = taken.slice(0, count).filter((cluster) => cluster === "b").length / count;
      expect(share, `of the first ${count}`).toBeGreaterThan(0.4);
      expect(share, `of the first ${count}`).toBeLessThan(0.6);
    }
  });

  test("counts as waiting, all of it", async () => {
    await using bed = await startQueue(redis.url, "depth");
    await bed.queue.add(storm("a", 100));
    expect(await bed.queue.depth()).toBe(100);
    expect(await bed.work(1000)).toMatchObject({ work: 100, waiting: 32, prioritized: 68 });
  });
});

// A new cluster, or an emptied Redis: thousands of workloads are adopted, and a change must not wait for all of them.
test("a change overtakes the adoption of its own cluster and of others", async () => {
  await using bed = await startQueue(redis.url, "adoption");
  await bed.queue.add([...storm("a", 500, adoption), ...storm("b", 500, adoption)]);
  await bed.queue.add([of("a", atOnce("changed"))]);
  const runs = recordRuns(bed, () => ({ type: "done", outcome: "unchanged" }));
  await bed.until("all are handled", () => runs.length === 1001);
  // The slots are filled concurrently.
  expect(runs.findIndex(({ name }) => name === "changed")).toBeLessThan(8);
});

// The changes exceed what a follow lets go first, and still all of them go first.
test("following a rollout gives way to a storm, with a rank that the queue takes", async () => {
  await using bed = await startQueue(redis.url, "follow");
  await bed.queue.add([{ ...atOnce("followed"), purpose: "follow" }, ...storm("a", 500)]);
  const runs = recordRuns(bed, () => ({ type: "done", outcome: "unchanged" }));
  await bed.until("all are handled", () => runs.length === 501);
  expect(runs.findIndex(({ name }) => name === "followed")).toBeGreaterThan(490);
  const shares = new FairShares(new ManualClock(), { size: 1e-9, perSecond: 0 });
  const most = 2 ** 21 - 1;
  expect(shares.priorities(storm("a", 2, () => ({ ...atOnce(), purpose: "follow" })))).toEqual([most, most]);
});

// Budgets count unfinished rollouts: a roll that waits for a budget would wait until the storm is over.
test("a look at a rollout is not kept waiting by a storm without end", async () => {
  await using bed = await startQueue(redis.url, "endless");
  await bed.queue.add([{ ...atOnce("followed"), purpose: "follow" }, ...storm("a", 2000)]);
  const runs = recordRuns(bed, () => ({ type: "done", outcome: "unchanged" }));
  await bed.until("all are handled", () => runs.length === 2001);
  const at = runs.findIndex(({ name }) => name === "followed");
  expect(at).toBeGreaterThan(900);
  expect(at).toBeLessThan(1200);
});

test("flows of clusters that are gone are forgotten, and those in a storm are not", async () => {
  const clock = new ManualClock();
  const shares = new FairShares(clock);
  shares.priorities(storm("stormy", 100_000));
  for (let at = 0; at < 3000; at += 1) {
    shares.priorities([of(`c${at}`, atOnce())]);
    await clock.advance(100);
  }
  expect(shares.flows).toBeLessThan(2100);
  expect(shares.priorities([of("stormy", atOnce())])[0]).toBeGreaterThan(2000);
});
