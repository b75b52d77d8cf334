import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { delayedScoreOfMs, QueueEnd } from "./bull-backend.ts";

const keys = ["wait", "active", "prioritized", "events", "stalled", "limiter", "delayed", "paused"];
const args = [...keys, "meta", "pc", "marker"].map((key) => `{queue}:${key}`);
const entry = [["data", "{}"], "1", 0, 0];

test("what is known of an empty queue answers the next question, and no later one", async () => {
  await using queue = await startQueue();
  const { connection, end, take } = queue;
  await connection.zadd("{queue}:delayed", 1234 * delayedScoreOfMs, "2");

  expect(await take()).toEqual([entry, 1]);
  expect(await take()).toEqual([[0, 0, 0, 1234], 1]);
  expect(await take()).toEqual([entry, 2]);
  end.forget();
  expect(await take()).toEqual([entry, 3]);
  await connection.lpush("{queue}:wait", "3");
  end.forget();
  expect(await take()).toEqual([entry, 4]);
  expect(await take()).toEqual([entry, 5]);
});

test("a worker that is woken asks Redis, though it emptied the queue while it waited", async () => {
  await using queue = await startQueue();
  const { end, take } = queue;
  const marker = Promise.withResolvers<string>();

  expect(await take()).toEqual([entry, 1]);
  const woken = end.wait(() => marker.promise);
  expect(await take()).toEqual([entry, 2]);
  marker.resolve("0");
  expect(await woken).toBe("0");
  expect(await take()).toEqual([entry, 3]);
});

/** An empty queue whose entries somebody else takes up: `take` returns the entry and the number of takes sent so far. */
async function startQueue() {
  const redis = await startRedis();
  const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
  const end = new QueueEnd(client.connection);
  let sent = 0;
  const send = async () => {
    sent += 1;
    return entry;
  };
  return {
    connection: client.connection,
    end,
    take: async () => [await end.take(args, send), sent] as const,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await redis[Symbol.asyncDispose]();
    },
  };
}
