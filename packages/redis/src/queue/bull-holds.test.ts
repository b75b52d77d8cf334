import { atOnce, idle, recordRuns, requestFor } from "@fleet-reloader/testkit/contracts/queue-under-test";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RedisClient } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { startQueue } from "../fixture/queue-bed.ts";
import { delayedScoreOfMs } from "./bull-backend.ts";
import { BullHolds } from "./bull-holds.ts";
import { toJob } from "./request-job.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

test.each(["no JSON", "7", "{}"])("a hold that reads %s is forgotten, and keeps no other", async (text) => {
  await using bed = await startQueue(redis.url);
  const runs = recordRuns(bed, () => ({
    ...{ type: "again", afterMs: 30_000, reason: "Frozen" },
    hold: { reason: "Frozen" },
  }));
  await bed.queue.add([atOnce("web"), atOnce("api")]);
  await bed.until("they are held", () => runs.length === 2);
  await idle(bed);
  await bed.leave();
  const shard = bed.keys.shardOf("c1");
  const ids = await bed.client.connection.zrange(bed.keys.holdTimes(shard), "0", "-1");
  expect(ids).toHaveLength(2);
  const held = await bed.held.list();
  const bad = held.find(({ request }) => request.workload.name === "web");
  await bed.client.connection.hset(bed.keys.holdTexts(shard), bad?.id ?? "", text);
  expect(await bed.held.list()).toMatchObject([{ request: requestFor("api") }]);
  expect(await bed.client.connection.zcard(bed.keys.holdTimes(shard))).toBe(1);
});

// Several watchers list the same holds, and each ends those that it finds to be over.
test("who ends a hold late ends none that was noted since", async () => {
  await using bed = await startQueue(redis.url);
  const runs = recordRuns(bed, () => ({
    ...{ type: "again", afterMs: 30_000, reason: "Frozen" },
    hold: { reason: "Frozen" },
  }));
  await bed.queue.add([atOnce()]);
  await until("it is held", async () => (await bed.held.count()) === 1);
  const listed = await bed.held.list();
  await bed.held.release(listed);
  await until("it is held again", async () => runs.length === 2 && (await bed.held.count()) === 1);
  const [again] = await bed.held.list();
  expect(again?.againAtMs).not.toBe(listed[0]?.againAtMs);
  await bed.held.release(listed);
  expect(await bed.held.list()).toEqual([again]);
  expect(runs).toHaveLength(2);
});

// A freeze may last for days, and the entry becomes due after a while even so: no worker is woken for it.
test("an entry that is due and on hold counts as no depth until its hold ends", async () => {
  await using bed = await startQueue(redis.url);
  recordRuns(bed, () => ({
    type: "again",
    afterMs: 30_000,
    reason: "Frozen",
    hold: { reason: "Frozen" },
  }));
  await bed.queue.add([atOnce()]);
  await until("it is held", async () => (await bed.held.count()) === 1);
  await idle(bed);
  await bed.leave();
  const [held] = await bed.held.list();
  const [queue] = bed.queue.queues;
  const [delayed, id] = [queue?.toKey("delayed") ?? "", held?.id ?? ""];
  await bed.client.connection.zincrby(delayed, -60_000 * delayedScoreOfMs, id);
  await bed.client.connection.zincrby(bed.keys.holdTimes(0), -60_000, id);
  expect(await bed.work(0)).toMatchObject({ work: 0, due: 1, held: 1 });
  expect(await bed.queue.depth()).toBe(0);
  await bed.held.release(await bed.held.list());
  expect(await bed.queue.depth()).toBe(1);
});

// BullMQ computes with the machine's time, which differs from Redis' time by a few milliseconds.
test.each([
  ["due", 2, 0],
  ["left where a change has moved it", 2000, 1],
])("an entry whose hold has ended is %s, %i ms from the time of its hold", async (_, movedMs, delayed) => {
  await using bed = await startQueue(redis.url);
  recordRuns(bed, () => ({
    type: "again",
    afterMs: 30_000,
    reason: "Frozen",
    hold: { reason: "Frozen" },
  }));
  await bed.queue.add([atOnce()]);
  await until("it is held", async () => (await bed.held.count()) === 1);
  await idle(bed);
  await bed.leave();
  const listed = await bed.held.list();
  const [queue] = bed.queue.queues;
  const scores = queue?.toKey("delayed") ?? "";
  await bed.client.connection.zincrby(scores, movedMs * delayedScoreOfMs, listed[0]?.id ?? "");
  await bed.held.release(listed);
  expect(await bed.client.connection.zcard(scores)).toBe(delayed);
  expect(await bed.held.list()).toEqual([]);
});

test("more holds than fit in one part are listed, each once, with its own time", async () => {
  await using stack = new AsyncDisposableStack();
  const client = stack.adopt(new RedisClient({ url: redis.url }, new CollectedLog()), (its) => its.close());
  const holds = new BullHolds({ client, keys: new Keys("many-holds", 2) });
  const noted = Array.from({ length: 1201 }, (_, at) => ({
    id: `hold-${at}`,
    cluster: `c${at % 3}`,
    againAtMs: at,
  }));
  await Promise.all(
    noted.map(({ id, cluster, againAtMs }) =>
      holds.note(id, { ...requestFor(id), cluster }, { hold: { reason: "Frozen" }, againAtMs }),
    ),
  );
  const listed = await holds.list();
  const told = listed.map(({ id, request, againAtMs }) => ({ id, cluster: request.cluster, againAtMs }));
  expect(told.toSorted((a, b) => a.againAtMs - b.againAtMs)).toEqual(noted);
});

// A command has a maximum length: with 70,000 holds none was released.
test("many holds are listed, tidied and released in parts", async () => {
  await using bed = await startQueue(redis.url);
  const { connection } = bed.client;
  if (!("monitor" in connection)) throw new Error("this is no single server");
  const ids = Array.from({ length: 1201 }, (_, at) => `hold-${at}`);
  const untilMs = bed.clock.now() + 60_000;
  const textOf = (id: string, at: number) =>
    at % 2 === 0 ? JSON.stringify({ ...toJob(requestFor(id)), reason: "Frozen" }) : "no JSON";
  await connection.zadd(bed.keys.holdTimes(0), ...ids.flatMap((id) => [untilMs, id]));
  await connection.hset(bed.keys.holdTexts(0), ...ids.flatMap((id, at) => [id, textOf(id, at)]));
  const monitor = await connection.monitor();
  let longest = 0;
  let isOver = false;
  monitor.on("monitor", (_: string, command: readonly string[]) => {
    longest = Math.max(longest, command.length);
    isOver ||= command.includes("over");
  });
  const due = await bed.held.listDue(0, untilMs);
  expect(due).toHaveLength(601);
  expect(await bed.held.count()).toBe(601);
  await bed.held.release(due);
  expect(await bed.held.count()).toBe(0);
  await connection.ping("over");
  await until("all is seen", () => isOver);
  monitor.disconnect();
  // The entry and time of each hold, plus the script and its keys.
  expect(longest).toBeLessThan(2 * 500 + 10);
});
