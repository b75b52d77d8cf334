import { change, recordRuns } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const done = { type: "done", outcome: "unchanged" } as const;

// Moving it takes a while; if it is taken up meanwhile, it would run again right after, for nothing.
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
