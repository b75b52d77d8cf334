import { atOnce } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { monotonicMs } from "../fixture/monotonic-ms.ts";
import { startQueue } from "../fixture/queue-bed.ts";

const done = { type: "done", outcome: "unchanged" } as const;

// BullMQ itself would retry without a pause.
test("a worker asks a Redis that refuses once a second, and says so once", async () => {
  await using own = await startRedis();
  await using bed = await startQueue(own.url);
  const { connection } = bed.client;
  const refusals = async (): Promise<number> => {
    const stats = await connection.info("commandstats");
    return Number(/cmdstat_rpoplpush:.*rejected_calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };
  const limitMemory = (bytes: number) => connection.call("CONFIG", "SET", "maxmemory", String(bytes));
  const ran = new Set<string>();
  await bed.queue.add(["first", "second", "third"].map((name) => atOnce(name)));
  bed.consume(async ({ workload }) => {
    if (ran.size === 0) await limitMemory(1);
    ran.add(workload.name);
    return ran.size === 1 ? { type: "again", afterMs: 60_000, reason: "Test" } : done;
  }, 1);
  await until("it is refused", async () => (await refusals()) > 0);
  const [before, fromMs] = [await refusals(), monotonicMs()];
  await until("it is refused again", async () => (await refusals()) > before + 1);
  const perSecond = ((await refusals()) - before) / ((monotonicMs() - fromMs) / 1000);
  expect(perSecond).toBeLessThan(10);
  await limitMemory(0);
  await until("all ran", () => ran.size === 3);
  expect(bed.log.messages("warn")).toEqual(["Redis gives out no requests; asking once a second"]);
});

test.each([
  ["memory", "maxmemory"],
  ["replicas", "min-replicas-to-write"],
])("what Redis adds nothing for want of %s fails as unavailable, one request or more", async (_, limit) => {
  await using own = await startRedis();
  await using bed = await startQueue(own.url);
  await bed.client.connection.call("CONFIG", "SET", limit, "1");
  for (const names of [["first"], ["first", "second"]]) {
    const added = bed.queue.add(names.map((name) => atOnce(name)));
    await expect(added).rejects.toMatchObject({ code: "redis.unavailable" });
  }
});
