import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { workBeginnings } from "./work-beginnings.ts";

/** Reads the beginnings of work, from a depth that the test sets. */
function startReading() {
  const clock = new ManualClock();
  const over = new AbortController();
  const seen = { depth: 0 as number | undefined, begun: 0, isOver: false };
  const depth = async () => {
    if (seen.depth === undefined) throw new Error("redis: reconnecting");
    return seen.depth;
  };
  const reading = (async () => {
    for await (const _ of workBeginnings({ depth, clock }, over.signal)) seen.begun += 1;
    seen.isOver = true;
  })();
  return { clock, seen, over, reading };
}

test("each beginning of work is told once, however long the work goes on", async () => {
  const { clock, seen } = startReading();
  await clock.advance(60_000);
  expect(seen.begun).toBe(0);
  seen.depth = 1;
  await clock.advance(500);
  expect(seen.begun).toBe(1);
  seen.depth = 40;
  await clock.advance(600_000);
  expect(seen.begun).toBe(1);
  seen.depth = 0;
  await clock.advance(500);
  seen.depth = 1;
  await clock.advance(500);
  expect(seen.begun).toBe(2);
});

test("whoever begins to read while there is work is told at once", async () => {
  const clock = new ManualClock();
  const beginnings = workBeginnings({ depth: async () => 3, clock }, new AbortController().signal);
  expect(await beginnings.next()).toEqual({ value: undefined, done: false });
  expect(clock.monotonic()).toBe(0);
});

test("a depth that is not known is neither a beginning nor an end", async () => {
  const { clock, seen } = startReading();
  seen.depth = 1;
  await clock.advance(500);
  seen.depth = undefined;
  await clock.advance(60_000);
  seen.depth = 1;
  await clock.advance(60_000);
  expect(seen.begun).toBe(1);
  seen.depth = 0;
  await clock.advance(500);
  seen.depth = undefined;
  await clock.advance(500);
  seen.depth = 2;
  await clock.advance(500);
  expect(seen.begun).toBe(2);
});

test("reading ends well when the process stops", async () => {
  const { clock, over, reading, seen } = startReading();
  await clock.advance(1000);
  over.abort();
  await reading;
  expect(seen.isOver).toBe(true);
  expect(clock.sleeping).toBe(0);
});
