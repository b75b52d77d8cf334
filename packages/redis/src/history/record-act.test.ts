import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { recordAct } from "./record-act.ts";

test("a command that does not know how much history is kept shortens none", async () => {
  await using redis = await startRedis();
  await using stack = new AsyncDisposableStack();
  const log = new CollectedLog();
  const client = stack.adopt(new RedisClient(redisAddress(redis.url), log), (its) => its.close());
  const keys = new Keys("fleet-reloader", 1);
  const act = { v: 1, time: "2026-07-01T12:00:00.000Z", type: "operator", target: "Deployment/api" } as const;
  const stream = keys.history(undefined);
  for (let count = 0; count < 300; count += 1) await client.connection.xadd(stream, "*", "record", "{}");
  const recording = { client, keys, clock: wallClock, log };
  await recordAct({ ...act, action: "retry", by: "ann" }, { ...recording, lengthMax: undefined });
  expect(await client.connection.xlen(stream)).toBe(301);
  await recordAct({ ...act, action: "retry", by: "ann" }, { ...recording, lengthMax: 1 });
  expect(await client.connection.xlen(stream)).toBeLessThan(301);
});
