import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { Deadlines } from "./deadlines.ts";

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
