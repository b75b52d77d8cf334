import { workqueueContract } from "@fleet-reloader/testkit/contracts/workqueue-contract";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, describe } from "vitest";
import { patientLockMs, startQueue } from "../fixture/queue-bed.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

// Each test has a prefix of its own and waits most of the time, so they run concurrently.
describe.concurrent("BullWorkqueue and BullConsumer", () => {
  workqueueContract(() => startQueue(redis.url, undefined, { lockMs: patientLockMs }));
});

// Each request ranks two below the one before it: everything that holds without priorities holds with them.
describe.concurrent("BullWorkqueue and BullConsumer in a storm", () => {
  const share = { size: 0.5, perSecond: 0 };
  workqueueContract(() => startQueue(redis.url, undefined, { share, lockMs: patientLockMs }));
});
