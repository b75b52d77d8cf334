import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { RedisIncumbents } from "./redis-incumbents.ts";

test("the first registration keeps a cluster for all processes until it is gone", async () => {
  await using redis = await startRedis();
  const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
  const incumbents = new RedisIncumbents({ client, keys: new Keys("i") });
  expect(await incumbents.keep("c1", "b", undefined)).toBe("b");
  expect(await incumbents.keep("c1", "a", undefined)).toBe("b");
  expect(await incumbents.keep("c2", "a", undefined)).toBe("a");
  expect(await incumbents.keep("c1", "a", "another")).toBe("b");
  expect(await incumbents.all()).toEqual(
    new Map([
      ["c1", "b"],
      ["c2", "a"],
    ]),
  );
  expect(await incumbents.keep("c1", "a", "b")).toBe("a");
  await client.close();
});
