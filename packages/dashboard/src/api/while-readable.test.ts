import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { whileReadable } from "./while-readable.ts";

const never = new Promise<never>(() => undefined);
const { signal } = new AbortController();

test("an answer that comes is given out, and nothing looks at Redis any more", async () => {
  const clock = new ManualClock();
  expect(await whileReadable(Promise.resolve(1), { notReady: () => [], clock }, signal)).toBe(1);
  await clock.advance(0);
  expect(clock.sleeping).toBe(0);
});

test("a question under way is refused within a second after Redis went away", async () => {
  const clock = new ManualClock();
  let lines: readonly string[] = [];
  const refused = expect(whileReadable(never, { notReady: () => lines, clock }, signal)).rejects;
  const asExpected = refused.toMatchObject({ code: "redis.unavailable", message: "redis: close" });
  await clock.advance(10_000);
  lines = ["redis: close"];
  await clock.advance(1000);
  await asExpected;
  expect(clock.sleeping).toBe(0);
});

test("whoever goes away is not waited for", async () => {
  const clock = new ManualClock();
  const leaving = new AbortController();
  const left = expect(whileReadable(never, { notReady: () => [], clock }, leaving.signal)).rejects;
  const asExpected = left.toThrow();
  leaving.abort();
  await asExpected;
});

test("what fails after nobody waits for it is no failure of the process", async () => {
  const clock = new ManualClock();
  const late = Promise.withResolvers<never>();
  const away = whileReadable(late.promise, { notReady: () => ["redis: close"], clock }, signal);
  await expect(away).rejects.toMatchObject({ code: "redis.unavailable" });
  // An unhandled rejection would fail the test run.
  late.reject(new Error("Connection is closed."));
  await clock.advance(0);
});
