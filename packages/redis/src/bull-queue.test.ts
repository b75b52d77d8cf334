import { workqueueContract } from "@fleet-reloader/testkit/contracts/workqueue-contract";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, describe } from "vitest";
import { startQueue } from "./fixture/queue-bed.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

// Each has a prefix of its own, and most of its time is waiting: they run side by side. Time here is the machine's: one that
// stalls for half a second reads like half a second of quiet. A queue that breaks its promise breaks it three times in a row.
describe.concurrent("BullWorkqueue and BullConsumer", { retry: 2 }, () => {
  workqueueContract(() => startQueue(redis.url));
});
