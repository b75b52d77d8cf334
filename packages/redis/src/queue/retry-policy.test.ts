import { Fault } from "@fleet-reloader/domain/fault";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pauseAfter, redeliverAfter } from "./retry-policy.ts";

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const transient = new Fault("kube.server-error", "500");

describe("the wait before another try", () => {
  test("is in whole milliseconds, at most twice as long each time, up to five minutes", () => {
    fc.assert(
      fc.property(random, fc.integer({ min: 1, max: 1_000_000 }), (chance, attempts) => {
        const waitMs = redeliverAfter(transient, attempts, () => chance);
        expect(Number.isInteger(waitMs) && waitMs >= 1).toBe(true);
        expect(waitMs).toBeLessThanOrEqual(Math.min(1000 * 2 ** (attempts - 1), 300_000));
      }),
    );
  });

  test("is as long as the other side asks for", () => {
    const asked = new Fault("kube.server-error", "503", { retryAfterMs: 7000 });
    expect(redeliverAfter(asked, 1, () => 0)).toBe(7000);
  });

  // A status update of a rollout came in between: the next read usually wins.
  test("after a first conflict is at most 100 ms, and grows up to 3 s", () => {
    const conflict = new Fault("kube.conflict", "moved");
    const limits = [1, 2, 3, 4, 5, 6, 50].map((attempts) =>
      redeliverAfter(conflict, attempts, () => 0.999_999),
    );
    expect(limits).toEqual([100, 200, 400, 800, 1600, 3000, 3000]);
    expect(redeliverAfter(conflict, 4, () => 0.5)).toBe(400);
  });
});

describe("the wait that uses up no attempt", () => {
  test.each([
    ["kube.throttled", 500, 1500],
    ["kube.forbidden", 15_000, 45_000],
    ["kube.unauthorized", 1500, 4500],
    ["kube.unreachable", 1500, 4500],
    ["engine.aborted", 100, 300],
  ] as const)("after %s is from %d to %d ms, so that not all come back at once", (code, leastMs, mostMs) => {
    const fault = new Fault(code, "simulated");
    expect(pauseAfter(fault, () => 0)).toBe(leastMs);
    expect(pauseAfter(fault, () => 0.9999)).toBeLessThanOrEqual(mostMs);
  });

  test("is as long as a throttling server asks for", () => {
    expect(pauseAfter(new Fault("kube.throttled", "429", { retryAfterMs: 12_345 }), () => 0)).toBe(12_345);
  });
});
