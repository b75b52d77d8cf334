import { atOnce, change, recordRuns } from "@fleet-reloader/testkit/contracts/workqueue-contract";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startQueue } from "./fixture/queue-bed.ts";
import { requestId } from "./request-job.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const window = { quietPeriodMs: 400, maxWaitMs: 60_000 };

// Between the moment a run is taken up and the moment it says so lies a burst whose time is over.
test("a change that comes while its burst is being run begins the next one, and does not run at once", async () => {
  await using bed = await startQueue(redis.url);
  const addition = change("api", window);
  const isRead = Promise.withResolvers<void>();
  const runs = recordRuns(bed, async (_, count) => {
    if (count === 1) await isRead.promise;
    return { type: "done", outcome: "unchanged" };
  });
  await bed.queue.add([addition]);
  await bed.until("it runs", () => runs.length === 1);
  const { cluster } = addition.request;
  const key = bed.keys.firstChange(cluster, requestId(addition.request, "change"));
  await bed.client.connection.set(key, String(bed.now() - window.maxWaitMs - 1));
  const addedAt = bed.now();
  await bed.queue.add([addition]);
  isRead.resolve();
  await bed.until("it runs again", () => runs.length === 2);
  expect((runs[1]?.at ?? 0) - addedAt).toBeGreaterThanOrEqual(window.quietPeriodMs - 20);
});

// Else nothing would bound the burst, and a source that is rewritten for ever would never roll anything.
test("a change whose burst's start cannot be kept is not added, and whoever adds it hears of it", async () => {
  await using bed = await startQueue(redis.url);
  const { request } = change("api", window);
  const key = bed.keys.firstChange(request.cluster, requestId(request, "change"));
  await bed.client.connection.hset(key, "not", "a text");
  await expect(bed.queue.add([change("api", window)])).rejects.toThrow("WRONGTYPE");
  expect((await bed.work(60_000)).work).toBe(0);
});

test("only a change keeps the start of its burst: of what else waits the time is known", async () => {
  await using bed = await startQueue(redis.url, "bursts");
  const firsts = async () => await bed.client.connection.keys("{bursts:00}:first:*");
  await bed.queue.add([
    { ...change("api", window), purpose: "resume" },
    { ...change("api", window), purpose: "follow" },
    { ...atOnce("web"), purpose: "adoption" },
  ]);
  expect(await firsts()).toEqual([]);
  await bed.queue.add([change("api", window), atOnce("web")]);
  expect(await firsts()).toHaveLength(1);
});
