import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { CallLimit } from "./call-limit.ts";

const forever = new AbortController().signal;

function setUp() {
  const clock = new ManualClock();
  const limit = new CallLimit({ qps: 10, burst: 5, clock });
  let made = 0;
  const call = (count: number) => {
    for (let each = 0; each < count; each += 1)
      void limit.turn(forever).then(() => {
        made += 1;
      });
  };
  return { clock, call, limit, made: () => made };
}

test("a burst goes at once, what exceeds it ten a second", async () => {
  const { clock, call, made } = setUp();
  call(30);
  await clock.advance(0);
  expect(made()).toBe(5);
  await clock.advance(1000);
  expect(made()).toBe(15);
});

test("after a pause there is a burst again, and not a larger one", async () => {
  const { clock, call, made } = setUp();
  call(5);
  await clock.advance(60_000);
  call(30);
  await clock.advance(0);
  expect(made()).toBe(10);
});

test("whoever is stopped does not wait on", async () => {
  const { limit } = setUp();
  const stopped = AbortSignal.abort();
  for (let each = 0; each < 5; each += 1) await limit.turn(stopped);
  await expect(limit.turn(stopped)).rejects.toThrow();
});

test("a wait that is given up gives its turn back", async () => {
  const { clock, call, limit, made } = setUp();
  const stop = new AbortController();
  call(5);
  const waiting = Array.from({ length: 100 }, () => limit.turn(stop.signal).catch(() => undefined));
  stop.abort();
  await Promise.all(waiting);
  call(10);
  await clock.advance(1000);
  expect(made()).toBe(15);
});
