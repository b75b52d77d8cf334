import { expect, test } from "vitest";
import { EventLimits, repeatWithinMs } from "./event-limits.ts";

test("the same is found for ten minutes, and is news afterwards", () => {
  const limits = new EventLimits();
  limits.remember("a", "event", 1000);
  expect(limits.find("a", 1000 + repeatWithinMs - 1)?.name).toBe("event");
  expect(limits.find("a", 1000 + repeatWithinMs)).toBeUndefined();
  expect(limits.find("b", 1000)).toBeUndefined();
});

test("a workload has 25 Events at once, then one in five minutes, whatever others have", () => {
  const limits = new EventLimits();
  const taken = Array.from({ length: 100 }, () => limits.take("api", 0)).filter(Boolean).length;
  expect(taken).toBe(25);
  expect(limits.take("web", 0)).toBe(true);
  expect(limits.take("api", 4 * 60_000)).toBe(false);
  expect(limits.take("api", 6 * 60_000)).toBe(true);
  expect(limits.take("api", 6 * 60_000)).toBe(false);
});

test("what is remembered is bounded: the oldest is forgotten", () => {
  const limits = new EventLimits();
  for (let i = 0; i <= 4096; i += 1) limits.remember(`key${i}`, "event", 0);
  expect(limits.find("key0", 0)).toBeUndefined();
  expect(limits.find("key1", 0)).toBeDefined();
});
