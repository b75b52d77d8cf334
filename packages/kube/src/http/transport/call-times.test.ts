import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { Deadlines, ServerWaits } from "./call-times.ts";

test("what takes too long is ended, and only that", async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(1000, clock);
  const ended: string[] = [];
  deadlines.add(() => ended.push("hangs"));
  const inTime = deadlines.add(() => ended.push("is answered"));
  await clock.advance(500);
  deadlines.add(() => ended.push("comes later"));
  inTime();
  await clock.advance(500);
  expect(ended).toEqual(["hangs"]);
  await clock.advance(500);
  expect(ended).toEqual(["hangs", "comes later"]);
});

test("nothing sleeps on when there is nothing to wait for, or when it is closed", async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(1000, clock);
  deadlines.add(() => undefined)();
  await clock.advance(250);
  expect(clock.sleeping).toBe(0);
  deadlines.add(() => undefined);
  deadlines.close();
  await clock.advance(0);
  expect(clock.sleeping).toBe(0);
});

async function setUp() {
  const clock = new ManualClock();
  await clock.advance(100);
  return { clock, waits: new ServerWaits(clock) };
}

test("since when the oldest waits is told, while any does", async () => {
  const { clock, waits } = await setUp();
  const all = [waits.begin()];
  await clock.advance(1000);
  all.push(waits.begin());
  expect(waits.oldestSinceMs).toBe(clock.monotonic() - 1000);
  all[0]?.end();
  expect(waits.oldestSinceMs).toBe(clock.monotonic());
  all[1]?.end();
  expect(waits.oldestSinceMs).toBeUndefined();
});

test("an answer that brings much begins its wait anew; one that trickles waits on", async () => {
  const { clock, waits } = await setUp();
  const [steady, trickling] = [waits.begin(), waits.begin()];
  for (const _ of [1, 2]) {
    await clock.advance(200);
    for (const bytes of [10_000, 10_000]) steady.brought(bytes);
    trickling.brought(1);
  }
  expect(waits.oldestSinceMs).toBe(clock.monotonic() - 400);
  trickling.end();
  expect(waits.oldestSinceMs).toBe(clock.monotonic());
});

test("what has ended waits no more, whatever comes of it then", async () => {
  const { waits } = await setUp();
  const given = waits.begin();
  given.end();
  given.brought(100_000);
  expect(waits.oldestSinceMs).toBeUndefined();
  await expect(waits.during(Promise.reject(new Error("no credentials")))).rejects.toThrow();
  expect(waits.oldestSinceMs).toBeUndefined();
});
