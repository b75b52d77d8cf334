import { atMost } from "@fleet-reloader/engine/async/at-most";
import { expect, test } from "vitest";
import { ManualClock } from "../../memory/manual-clock.ts";

test("waits until the work is done or its time is over, and leaves no timer", async () => {
  const clock = new ManualClock();
  const said: string[] = [];
  const work = Promise.withResolvers<void>();
  void atMost(1000, clock, work.promise).then(() => said.push("patient"));
  void atMost(100, clock, work.promise).then(() => said.push("impatient"));
  await clock.advance(99);
  expect(said).toEqual([]);
  await clock.advance(1);
  expect(said).toEqual(["impatient"]);
  work.resolve();
  await clock.advance(0);
  expect(said).toEqual(["impatient", "patient"]);
  expect(clock.sleeping).toBe(0);
});

test("without work there is nothing to wait for, and what fails is the failure", async () => {
  const clock = new ManualClock();
  await atMost(1000, clock, undefined);
  await expect(atMost(1000, clock, Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(clock.sleeping).toBe(0);
});
