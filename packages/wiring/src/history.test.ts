import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { readRecordedFreezes } from "@fleet-reloader/redis/history/redis-recorded-freezes";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { MemoryFreezes } from "@fleet-reloader/testkit/memory/memory-freezes";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import { expect, test } from "vitest";
import { recordFreezes, startHistory } from "./history.ts";

async function startBed() {
  const redis = await startRedis();
  const log = new CollectedLog();
  const client = new RedisClient(redisAddress(redis.url), log);
  const keys = new Keys("kept", 2);
  const add = (stream: string, time: string) => client.connection.xadd(stream, time, "record", "{}");
  return {
    client,
    keys,
    log,
    add,
    start: (historyRetention: number, historyMaxLength: number) => {
      const config = { historyRetention, historyMaxLength };
      return startHistory({ config, client, keys, clock: wallClock, log, meter: new CountingMeter() });
    },
    lengths: () => Promise.all(keys.histories.map((stream) => client.connection.xlen(stream))),
    async [Symbol.asyncDispose]() {
      await client.close();
      await redis[Symbol.asyncDispose]();
    },
  };
}

test("who keeps no history leaves none of an earlier one", async () => {
  await using bed = await startBed();
  // Includes an entry by a clock that is ahead of ours.
  for (const stream of bed.keys.histories)
    for (const time of ["1-0", "9999999999999-0"]) await bed.add(stream, time);
  const { history, stop } = bed.start(0, 100);
  expect(history).toBeUndefined();
  await until("all are gone", async () => (await bed.lengths()).every((length) => length === 0));
  await stop();
});

test("what is too old or too much goes at the start", async () => {
  await using bed = await startBed();
  const [first = "", second = ""] = bed.keys.histories;
  await bed.add(first, "1-0");
  for (let at = 0; at < 300; at += 1) await bed.add(second, "*");
  const { stop } = bed.start(3_600_000, 100);
  await until("it is gone", async () => {
    const [old, many = 300] = await bed.lengths();
    return old === 0 && many < 300;
  });
  await stop();
});

test("people see what is frozen also where no history is kept", async () => {
  await using bed = await startBed();
  const freezes = new MemoryFreezes();
  const release = { scope: { cluster: "prod" }, reason: "release", by: "ann" };
  freezes.freezes = [release];
  const stop = new AbortController();
  const parts = Object.assign({ freezes, history: undefined, member: "w-1", clock: wallClock }, bed);
  const running = recordFreezes(parts, stop.signal);
  const seen = async () => (await readRecordedFreezes(bed)).length > 0;
  await until("it is seen", seen, 20_000).finally(() => stop.abort());
  await running;
  expect(await readRecordedFreezes(bed)).toEqual([release]);
});
