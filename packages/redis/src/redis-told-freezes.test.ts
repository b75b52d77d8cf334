import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { startQueue } from "./fixture/queue-bed.ts";
import { RedisToldFreezes } from "./redis-told-freezes.ts";

const fleet: Freeze = { scope: {}, reason: "release", by: "ann" };
const shop: Freeze = { scope: { namespace: "shop" }, reason: "audit", by: "bob", untilMs: 1 };

test("a freeze comes once and goes once, whoever of several looks, also a new one", async () => {
  await using redis = await startRedis();
  await using bed = await startQueue(redis.url);
  const [one, other] = [new RedisToldFreezes(bed), new RedisToldFreezes(bed)];
  expect(await one.replace([fleet, shop])).toEqual({ come: expect.arrayContaining([fleet, shop]), gone: [] });
  expect(await other.replace([fleet, shop])).toEqual({ come: [], gone: [] });
  expect(await other.replace([shop])).toEqual({ come: [], gone: [fleet] });
  expect(await one.replace([])).toEqual({ come: [], gone: [shop] });
});
