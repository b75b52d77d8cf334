import { atOnce, change, recordRuns } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startQueue } from "./fixture/queue-bed.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const done = { type: "done", outcome: "unchanged" } as const;

// Between the moment a run is taken up and the moment it says so lies a burst whose time is over.
test("a change that comes while its burst is being run begins the next one, and does not run at once", async () => {
  await using bed = await startQueue(redis.url);
  const isRead = Promise.withResolvers<void>();
  const runs = recordRuns(bed, async (_, count) => {
    if (count === 1) await isRead.promise;
    return done;
  });
  const short = { quietPeriodMs: 400, maxWaitMs: 400 };
  await bed.queue.add([change("api", short)]);
  await bed.until("it runs", () => runs.length === 1);
  const addedAt = bed.now();
  await bed.queue.add([change("api", short)]);
  isRead.resolve();
  await bed.until("it runs again", () => runs.length === 2);
  expect((runs[1]?.at ?? 0) - addedAt).toBeGreaterThanOrEqual(short.quietPeriodMs - 20);
});

// To move it takes a while, in which it may be taken up: it would run again right after, for nothing.
test("a change that finds its entry due in a moment leaves it there", async () => {
  await using bed = await startQueue(redis.url);
  const short = { quietPeriodMs: 400, maxWaitMs: 400 };
  await bed.queue.add([change("api", short)]);
  await bed.elapse(350);
  const isTaken = Promise.withResolvers<void>();
  const moves = Promise.withResolvers<void>();
  const [queue] = bed.queue.queues;
  const add = queue?.add.bind(queue);
  if (queue === undefined || add === undefined) throw new Error("there is no queue");
  vi.spyOn(queue, "add").mockImplementation(async (...given) => {
    moves.resolve();
    await isTaken.promise;
    return await add(...given);
  });
  const added = bed.queue.add([change("api", short)]);
  await Promise.race([added, moves.promise]);
  const runs = recordRuns(bed, async () => {
    isTaken.resolve();
    await added;
    return done;
  });
  await bed.until("it runs", () => runs.length === 1);
  await bed.elapse(2 * short.maxWaitMs);
  expect(runs).toHaveLength(1);
});

// What it waits for may be long over: its workload keeps changing, and no change may find the end of the quiet.
test("a request that was put back has a burst of its own, which ends", async () => {
  await using bed = await startQueue(redis.url);
  const runs = recordRuns(bed, (_, count) =>
    count === 1 ? { type: "again", afterMs: 60_000, reason: "Test" } : done,
  );
  await bed.queue.add([atOnce()]);
  await bed.until("it was put back", () => runs.length === 1);
  await bed.elapse(100);
  const begun = bed.now();
  while (runs.length === 1 && bed.now() - begun < 5000) {
    await bed.queue.add([change("api", { quietPeriodMs: 400, maxWaitMs: 1200 })]);
    await bed.elapse(100);
  }
  expect((runs[1]?.at ?? 0) - begun).toBeGreaterThanOrEqual(1000);
  expect((runs[1]?.at ?? 0) - begun).toBeLessThan(3000);
});
