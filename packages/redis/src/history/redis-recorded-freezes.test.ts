import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";
import {
  RedisFreezeReadings,
  RedisRecordedFreezes,
  readRecordedFreezes,
  readUnreadableFreezes,
} from "./redis-recorded-freezes.ts";

const fleet: Freeze = { scope: {}, reason: "release", by: "ann" };
const shop: Freeze = { scope: { namespace: "shop" }, reason: "audit", by: "bob", untilMs: 1 };

async function watchersOn(url: string) {
  const bed = await startQueue(url);
  const member = (name: string) => new RedisRecordedFreezes({ ...bed, member: name });
  return { ...bed, one: member("w-1"), other: member("w-2"), third: member("w-3") };
}

test("a freeze comes once and goes once, however many look", async () => {
  await using redis = await startRedis();
  await using bed = await watchersOn(redis.url);
  const { one, other } = bed;
  expect(await one.replace([fleet, shop])).toEqual({ come: [fleet, shop], gone: [] });
  expect(await other.replace([fleet, shop])).toEqual({ come: [], gone: [] });
  expect(await other.replace([shop])).toEqual({ come: [], gone: [] });
  expect(await one.replace([shop])).toEqual({ come: [], gone: [fleet] });
  expect(await other.replace([])).toEqual({ come: [], gone: [] });
  expect(await one.replace([])).toEqual({ come: [], gone: [shop] });
});

// Each has a file of its own besides the shared one: a freeze that one does not know is not lifted.
test("watchers that know of different freezes tell each of them once", async () => {
  await using redis = await startRedis();
  await using bed = await watchersOn(redis.url);
  const { one, other } = bed;
  expect(await one.replace([fleet])).toEqual({ come: [fleet], gone: [] });
  expect(await other.replace([shop])).toEqual({ come: [shop], gone: [] });
  for (const _ of [1, 2, 3]) {
    expect(await one.replace([fleet])).toEqual({ come: [], gone: [] });
    expect(await other.replace([shop])).toEqual({ come: [], gone: [] });
  }
  expect(await other.replace([])).toEqual({ come: [], gone: [shop] });
});

test("what only a watcher said that is no more is lifted a minute later", () =>
  atBest(async () => {
    await using redis = await startRedis();
    await using bed = await watchersOn(redis.url);
    const { one, other, third } = bed;
    await one.replace([fleet, shop]);
    await other.replace([shop]);
    const { connection } = bed.client;
    const silent = async (ms: number) => {
      const saidAt = String(Date.now() - ms);
      const said = await connection.zrange(bed.keys.fleet.freezes, "0", "-1");
      for (const each of said.filter((text) => text.startsWith("w-1 ")))
        await connection.zadd(bed.keys.fleet.freezes, saidAt, each);
    };
    await silent(50_000);
    expect(await third.replace([])).toEqual({ come: [], gone: [] });
    await silent(70_000);
    expect(await third.replace([])).toEqual({ come: [], gone: [fleet] });
  }));

test("freezes that cannot be read are told for seconds after they were told last", async () => {
  await using redis = await startRedis();
  await using bed = await watchersOn(redis.url);
  expect(await readUnreadableFreezes(bed)).toBeUndefined();
  await bed.one.unreadable("entry 1: no reason");
  expect(await readUnreadableFreezes(bed)).toBe("entry 1: no reason");
  const leftMs = await bed.client.connection.pttl(bed.keys.fleet.unreadableFreezes);
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(15_000);
});

test("what watchers read is answered with how long ago each of them said it", async () => {
  await using redis = await startRedis();
  await using bed = await watchersOn(redis.url);
  const ofGone = `w-9 ${JSON.stringify(fleet)}`;
  await bed.client.connection.zadd(bed.keys.fleet.freezes, Date.now() - 50_000, ofGone);
  await bed.one.replace([fleet, shop]);
  const said = await new RedisFreezeReadings(bed).said();
  expect(said.map(({ freeze }) => freeze)).toEqual(expect.arrayContaining([fleet, shop, fleet]));
  const silences = said.map(({ silentMs }) => Math.floor(silentMs / 25_000));
  expect(silences).toEqual([0, 0, 2]);
});

test("a freeze is shown once, and beside very many the newest are shown", async () => {
  await using redis = await startRedis();
  await using bed = await watchersOn(redis.url);
  const before = Array.from(
    { length: 1000 },
    (_, at) => `w-9 ${JSON.stringify({ ...shop, reason: `r${at}` })}`,
  );
  const saidBefore = before.flatMap((said) => [String(Date.now() - 30_000), said]);
  await bed.client.connection.zadd(bed.keys.fleet.freezes, ...saidBefore);
  for (const watcher of [bed.one, bed.other]) await watcher.replace([fleet]);
  const shown = await readRecordedFreezes(bed);
  expect(shown.filter(({ reason }) => reason === fleet.reason)).toEqual([fleet]);
});
