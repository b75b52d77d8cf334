import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { delayedScoreOfMs } from "./delayed-score.ts";
import { QueueEnd } from "./queue-end.ts";

const keys = ["wait", "active", "prioritized", "events", "stalled", "limiter", "delayed", "paused"];
const args = [...keys, "meta", "pc", "marker"].map((key) => `{queue}:${key}`);
const entry = [["data", "{}"], "1", 0, 0];

test("what is known of an empty queue answers the next question, and no later one", async () => {
  await using redis = await startRedis();
  const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
  await client.connection.zadd("{queue}:delayed", 1234 * delayedScoreOfMs, "2");
  const end = new QueueEnd(client.connection);
  let sent = 0;
  const send = async () => {
    sent += 1;
    return entry;
  };
  const take = () => end.take(args, send);

  expect([await take(), sent]).toEqual([entry, 1]);
  expect([await take(), sent]).toEqual([[0, 0, 0, 1234], 1]);
  expect([await take(), sent]).toEqual([entry, 2]);
  end.forget();
  expect([await take(), sent]).toEqual([entry, 3]);
  await client.connection.lpush("{queue}:wait", "3");
  end.forget();
  expect([await take(), sent]).toEqual([entry, 4]);
  expect([await take(), sent]).toEqual([entry, 5]);
  await client.close();
});
