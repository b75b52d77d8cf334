import { workqueueContract } from "@fleet-reloader/testkit/contracts/workqueue-contract";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { patientLockMs, startQueue } from "../fixture/queue-bed.ts";
import { type RedisOfRoles, startRedisOfRoles } from "../fixture/role-users.ts";

let redis: RedisOfRoles;
beforeAll(async () => {
  redis = await startRedisOfRoles("*");
});
afterAll(async () => {
  const denied = await redis.denied();
  await redis[Symbol.asyncDispose]();
  expect(denied).toEqual([]);
});

describe.concurrent("the queue between a watcher and a worker with users of their own", () => {
  workqueueContract(() =>
    startQueue(redis.urlOf("watcher"), undefined, {
      workerUrl: redis.urlOf("worker"),
      shards: 2,
      lockMs: patientLockMs,
    }),
  );
});
