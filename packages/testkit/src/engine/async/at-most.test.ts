import { atMost } from "@fleet-reloader/engine/async/at-most";
import { expect, test } from "vitest";
import { ManualClock } from "../../memory/manual-clock.ts";

test("work is waited for until it is done, or until its time is over, and no timer is left", async () => {
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
