import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { RedisClient } from "./client.ts";
import { Keys } from "./keys.ts";
import { RedisAbsence } from "./redis-absence.ts";
import { RedisClock } from "./redis-clock.ts";

test("it says since when Redis is away, and nothing once Redis is back", async () => {
  await using redis = await startRedis();
  const local = new ManualClock(Date.UTC(2026, 0, 1, 9));
  const client = new RedisClient({ url: redis.url }, new CollectedLog());
  const clock = new RedisClock({ client, keys: new Keys("absence"), local });
  const absence = new RedisAbsence({ client, clock });
  try {
    expect(absence.notReady).toEqual([expect.stringContaining(", away since 2026-01-01T09:00:00.000Z")]);
    await until("it is connected", () => absence.notReady.length === 0);
    await local.advance(60_000);
    await redis.kill();
    await until("the loss is seen", () => absence.notReady.length > 0);
    // Each failed attempt to connect closes a connection too.
    await local.advance(60_000);
    await redis.restart();
    expect(absence.notReady.join()).not.toContain("09:02");
    await until("it is connected again", () => absence.notReady.length === 0);
  } finally {
    await client.close();
  }
});

test("a Redis that hangs is away from the first question without an answer, after 5 s", async () => {
  await using redis = await startRedis();
  const local = new ManualClock();
  const client = new RedisClient({ url: redis.url }, new CollectedLog());
  const clock = new RedisClock({ client, keys: new Keys("absence"), local });
  const absence = new RedisAbsence({ client, clock });
  try {
    await clock.start();
    redis.signal("SIGSTOP");
    await local.advance(1000);
    const sinceMs = await until("a question has no answer", () => clock.unansweredSinceMs);
    await local.advance(4999);
    expect(absence.notReady).toEqual([]);
    await local.advance(1);
    const since = new Date(sinceMs).toISOString();
    expect(absence.notReady).toEqual([`redis: unanswered, away since ${since}`]);
    await local.advance(60_000);
    expect(absence.notReady).toEqual([`redis: unanswered, away since ${since}`]);
    await redis.kill();
    await until("the loss is seen", () => client.notReady.length > 0);
    expect(absence.notReady).toEqual([expect.stringMatching(`^redis: \\w+, away since ${since}$`)]);
    await redis.restart();
    await until("it is back", () => absence.notReady.length === 0);
  } finally {
    clock.stop();
    await client.close();
  }
});
