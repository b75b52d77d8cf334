import { workqueueContract } from "@fleet-reloader/testkit/contracts/workqueue-contract";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, describe } from "vitest";
import { startQueue } from "./fixture/queue-bed.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

/** Each request sinks two ranks below the one before it: whatever holds without priorities holds with them. */
const share = { size: 0.5, perSecond: 0 };

describe.concurrent("BullWorkqueue and BullConsumer in a storm", () => {
  workqueueContract(() => startQueue(redis.url, undefined, { share }));
});
