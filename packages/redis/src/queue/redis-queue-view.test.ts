import { againWhenFree } from "@fleet-reloader/engine/ports/request";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, expect, test, vi } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";
import { RedisQueueView } from "./redis-queue-view.ts";

const redis = await startRedis();
afterAll(() => redis[Symbol.asyncDispose]());

const requestOf = (name: string) => ({
  cluster: "c1",
  workload: { kind: "Deployment", namespace: "ns", name },
});
const later = { quietPeriodMs: 3_600_000, maxWaitMs: 3_600_000, purpose: "change" } as const;
const atOnce = { quietPeriodMs: 0, maxWaitMs: 0, purpose: "change" } as const;

test("a request that waits is told from one that is held and from none", async () => {
  await using bed = await startQueue(redis.url, undefined, { shards: 3 });
  const view = new RedisQueueView(bed);
  expect(await view.waiting(requestOf("api"))).toBeUndefined();
  await bed.queue.add([{ request: requestOf("api"), ...later }]);
  expect(await view.waiting(requestOf("api"))).toEqual({});
  bed.handle(async () => againWhenFree({ type: "hold", reason: "Frozen", afterMs: 600_000, untilMs: 42 }));
  await bed.queue.add([{ request: requestOf("web"), ...atOnce }]);
  const held = { hold: { reason: "Frozen", untilMs: 42, againAtMs: expect.any(Number) } };
  const isHeld = async () => expect(await view.waiting(requestOf("web"))).toEqual(held);
  await vi.waitFor(isHeld, { timeout: 60_000 });
}, 90_000);
