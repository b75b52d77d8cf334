import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { RedisClient } from "./client.ts";
import { RedisAbsence } from "./redis-absence.ts";

test("it says since when Redis is away, and nothing once Redis is back", async () => {
  await using redis = await startRedis();
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 9));
  const client = new RedisClient({ url: redis.url }, new CollectedLog());
  const absence = new RedisAbsence({ client, clock });
  try {
    expect(absence.notReady).toEqual([expect.stringContaining(", away since 2026-01-01T09:00:00.000Z")]);
    await until("it is connected", () => absence.notReady.length === 0);
    await clock.advance(60_000);
    await redis.kill();
    await until("the loss is seen", () => absence.notReady.length > 0);
    // Each failed attempt to connect ends a connection, too.
    await clock.advance(60_000);
    await redis.restart();
    expect(absence.notReady.join()).not.toContain("09:02");
    await until("it is connected again", () => absence.notReady.length === 0);
  } finally {
    await client.close();
  }
});
