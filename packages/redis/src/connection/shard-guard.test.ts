import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RedisClient, redisAddress } from "./client.ts";
import { Keys } from "./keys.ts";
import { guardShards } from "./shard-guard.ts";

let redis: TestRedis;
let client: RedisClient;
beforeAll(async () => {
  redis = await startRedis();
  client = new RedisClient(redisAddress(redis.url), new CollectedLog());
});
afterAll(async () => {
  await client.close();
  await redis[Symbol.asyncDispose]();
});

describe("the number of shards", () => {
  test("is the one that was given first, for everybody", async () => {
    await guardShards({ client, keys: new Keys("first", 4) });
    await guardShards({ client, keys: new Keys("first", 4) });
    await expect(guardShards({ client, keys: new Keys("first") })).rejects.toMatchObject({
      code: "config.invalid",
      message: expect.stringMatching(
        /^--shards 1: this Redis is laid out for 4; give --shards 4 to every watcher and worker\. To change it, /,
      ),
    });
  });

  test("of a Redis that was used before there were shards is one", async () => {
    const older = new Keys("older");
    await client.connection.set(older.markKeyId, "k1");
    await expect(guardShards({ client, keys: new Keys("older", 4) })).rejects.toThrow("laid out for 1;");
    await guardShards({ client, keys: older });
  });

  test("is changed as the message says", async () => {
    await guardShards({ client, keys: new Keys("changed", 2) });
    const { message } = await guardShards({ client, keys: new Keys("changed", 8) }).then(
      () => new Error("was not refused"),
      (error: unknown) => (error instanceof Error ? error : new Error("no error")),
    );
    const [, key = "", value = ""] = /set the Redis key (\S+) to (\d+),/.exec(message) ?? [];
    await client.connection.set(key, value);
    await guardShards({ client, keys: new Keys("changed", 8) });
    await expect(guardShards({ client, keys: new Keys("changed", 2) })).rejects.toThrow("--shards 8");
  });
});
