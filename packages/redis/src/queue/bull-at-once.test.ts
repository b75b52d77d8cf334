import { atOnce, change, idle, recordRuns } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

/** A queue that records the commands to Redis and the answers. BullMQ itself adds the entry. */
async function watchedQueue() {
  const bed = await startQueue(redis.url);
  const [queue] = bed.queue.queues;
  if (queue === undefined) throw new Error("there is no queue");
  const { connection } = bed.client;
  const [ask, add] = [connection.evalsha.bind(connection), queue.add.bind(queue)];
  // After this Redis knows the script.
  await bed.queue.add([change("other")]);
  const steps: string[] = [];
  vi.spyOn(connection, "evalsha").mockImplementation(async (...given: Parameters<typeof ask>) => {
    steps.push("asked");
    const answer = await ask(...given);
    steps.push("answered");
    return answer;
  });
  vi.spyOn(queue, "add").mockImplementation((...given) => {
    steps.push("added");
    return add(...given);
  });
  return { bed, steps };
}

test("a change that is due at once waits for no answer before it is added", async () => {
  const { bed, steps } = await watchedQueue();
  await using _ = bed;
  await bed.queue.add([atOnce()]);
  expect(steps).toEqual(["asked", "added", "answered"]);
});

test("a change that waits for quiet is added when it is known when its burst began", async () => {
  const { bed, steps } = await watchedQueue();
  await using _ = bed;
  await bed.queue.add([change()]);
  expect(steps).toEqual(["asked", "answered", "added"]);
});

test("a change that is due at once ends the hold of its request", async () => {
  await using bed = await startQueue(redis.url);
  const hold = { reason: "Frozen" } as const;
  recordRuns(bed, () => ({ type: "again", afterMs: 30_000, reason: "Frozen", hold }));
  await bed.queue.add([atOnce()]);
  await until("it is held", async () => (await bed.held.count()) === 1);
  await idle(bed);
  await bed.leave();
  await bed.queue.add([atOnce()]);
  expect(await bed.held.list()).toEqual([]);
  expect((await bed.work(0)).work).toBe(1);
});

test("a change whose hold could not be ended fails, and so comes again", async () => {
  await using bed = await startQueue(redis.url);
  vi.spyOn(bed.client.connection, "evalsha").mockRejectedValue(new Error("OOM command not allowed"));
  await expect(bed.queue.add([atOnce()])).rejects.toThrow("OOM");
});
