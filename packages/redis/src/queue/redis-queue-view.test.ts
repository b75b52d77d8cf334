import { againWhenFree } from "@fleet-reloader/engine/ports/request";
import { atOnce, change, requestFor } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, expect, test, vi } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";
import { RedisQueueView } from "./redis-queue-view.ts";

const redis = await startRedis();
afterAll(() => redis[Symbol.asyncDispose]());

const anHour = { quietPeriodMs: 3_600_000, maxWaitMs: 3_600_000 };

test("a request that waits is told from one that is held and from none", async () => {
  await using bed = await startQueue(redis.url, undefined, { shards: 3 });
  const view = new RedisQueueView(bed);
  expect(await view.waiting(requestFor("api"))).toBeUndefined();
  await bed.queue.add([change("api", anHour)]);
  expect(await view.waiting(requestFor("api"))).toEqual({});
  bed.handle(async () => againWhenFree({ type: "hold", reason: "Frozen", afterMs: 600_000, untilMs: 42 }));
  await bed.queue.add([atOnce("web")]);
  const held = { hold: { reason: "Frozen", untilMs: 42, againAtMs: expect.any(Number) } };
  const isHeld = async () => expect(await view.waiting(requestFor("web"))).toEqual(held);
  await vi.waitFor(isHeld, { timeout: 250_000 });
});
