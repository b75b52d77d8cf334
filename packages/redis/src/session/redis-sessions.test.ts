import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { afterAll, expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { startRedisOfRoles } from "../fixture/role-users.ts";
import { RedisSessions } from "./redis-sessions.ts";

const redis = await startRedisOfRoles();
const keys = new Keys("fleet-reloader", 2);
const client = new RedisClient(redisAddress(redis.urlOf("dashboard")), new CollectedLog());
afterAll(async () => {
  const denied = await redis.denied();
  await client.close();
  await redis[Symbol.asyncDispose]();
  expect(denied).toEqual([]);
});

const ann = { name: "ann", proof: "t1" };
const hourMs = 3_600_000;

test("a session is found by its id until somebody ends it", async () => {
  const sessions = new RedisSessions({ client, keys, clock: new ManualClock() });
  const [one, other] = [
    await sessions.begin(ann.name, () => ann.proof),
    await sessions.begin(ann.name, () => ann.proof),
  ];
  expect(one).not.toBe(other);
  expect(await sessions.find(one)).toMatchObject(ann);
  await sessions.end(one);
  expect(await sessions.find(one)).toBeUndefined();
  expect(await sessions.find(other)).toMatchObject(ann);
  expect(await sessions.find("guessed")).toBeUndefined();
});

test("a session ends after 8 hours of use, and in Redis after half an hour without", async () => {
  const clock = new ManualClock();
  const sessions = new RedisSessions({ client, keys, clock });
  const id = await sessions.begin(ann.name, () => ann.proof);
  const names = await redis.admin.connection.keys("*:session:*");
  for (const name of names) expect(await redis.admin.connection.pttl(name)).toBeLessThanOrEqual(hourMs / 2);
  await clock.advance(8 * hourMs - 1);
  expect(await sessions.find(id)).toMatchObject(ann);
  await clock.advance(1);
  expect(await sessions.find(id)).toBeUndefined();
});

test("a session of a terminal lasts without use, and ends at the time that is given", async () => {
  await redis.admin.connection.flushall();
  const clock = new ManualClock();
  const sessions = new RedisSessions({ client, keys, clock });
  const id = "terminal.of-ann";
  const endMs = clock.now() + 2 * hourMs;
  expect(await sessions.begin(ann.name, () => ann.proof, { id, endMs, place: "terminal" })).toBe(id);
  const ttl = async () => {
    const [name = ""] = await redis.admin.connection.keys("*:session:*");
    return await redis.admin.connection.pttl(name);
  };
  expect(await ttl()).toBeGreaterThan(7 * hourMs);
  expect(await sessions.find(id, "terminal")).toEqual({ ...ann, endMs });
  expect(await ttl()).toBeGreaterThan(7 * hourMs);
  await clock.advance(2 * hourMs);
  expect(await sessions.find(id, "terminal")).toBeUndefined();
  expect(await redis.admin.connection.keys("*:session:*")).toEqual([]);
});

test("what is in Redis opens no session, and a wiped Redis has none", async () => {
  const sessions = new RedisSessions({ client, keys, clock: new ManualClock() });
  const id = await sessions.begin(ann.name, () => ann.proof);
  const names = await redis.admin.connection.keys("*");
  const texts = await redis.admin.connection.mget(...names);
  expect([...names, ...texts].join("\n")).not.toContain(id);
  await redis.admin.connection.flushall();
  expect(await sessions.find(id)).toBeUndefined();
});
