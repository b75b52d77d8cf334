import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { afterOutcome, askCircuit, type ClusterBreaker, closedCircuit, tryAtOnce } from "./breaker.ts";

const fail = (breaker: ClusterBreaker, nowMs: number) => afterOutcome(breaker, "failed", nowMs);

function openAt(nowMs: number): ClusterBreaker {
  return Array.from({ length: 5 }).reduce<ClusterBreaker>((breaker) => fail(breaker, nowMs), closedCircuit);
}

describe("a cluster's breaker", () => {
  test("opens at the fifth failure in a row, and not before", () => {
    let breaker = closedCircuit;
    for (let count = 1; count < 5; count += 1) breaker = fail(breaker, 0);
    expect(askCircuit(breaker, 0).type).toBe("pass");
    expect(askCircuit(fail(breaker, 0), 0)).toEqual({ type: "wait", forMs: 5000 });
    expect(afterOutcome(breaker, "answered", 0)).toEqual(closedCircuit);
    expect(afterOutcome(breaker, "neutral", 0)).toEqual(breaker);
  });

  test("lets one through when its time is over, and closes when that one is answered", () => {
    const trial = askCircuit(openAt(0), 5000);
    if (trial.type !== "pass") throw new Error("not let through");
    expect(askCircuit(trial.breaker, 5000).type).toBe("wait");
    expect(afterOutcome(trial.breaker, "answered", 5001)).toEqual(closedCircuit);
  });

  test("stays open for 5, 10, 20, 40, 60 and 60 seconds", () => {
    let breaker = openAt(0);
    let now = 0;
    const waited: number[] = [];
    for (let trial = 0; trial < 6; trial += 1) {
      const asked = askCircuit(breaker, now);
      if (asked.type !== "wait") throw new Error("let through");
      waited.push(asked.forMs);
      now += asked.forMs;
      const passed = askCircuit(breaker, now);
      if (passed.type !== "pass") throw new Error("not let through");
      breaker = fail(passed.breaker, now);
    }
    expect(waited).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test("lets the next one through after a trial without result, or a sign of life", () => {
    const trial = askCircuit(openAt(0), 5000);
    if (trial.type !== "pass") throw new Error("not let through");
    expect(askCircuit(afterOutcome(trial.breaker, "neutral", 6000), 6000).type).toBe("pass");
    const heard = tryAtOnce(openAt(0));
    expect(askCircuit(heard, 100)).toEqual({ type: "pass", breaker: heard });
    expect(askCircuit(fail(heard, 100), 100)).toEqual({ type: "wait", forMs: 5000 });
  });

  test("tries one request at a time, opens with one answer, is shut a minute at most", () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 70_000 }),
      outcome: fc.constantFrom("answered" as const, "failed" as const, "neutral" as const),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let breaker = closedCircuit;
        let now = 0;
        for (const { afterMs, outcome } of steps) {
          now += afterMs;
          const asked = askCircuit(breaker, now);
          if (asked.type === "wait") {
            expect(asked.forMs).toBeGreaterThan(0);
            expect(asked.forMs).toBeLessThanOrEqual(60_000);
            expect(askCircuit(breaker, now + asked.forMs).type).toBe("pass");
            continue;
          }
          if (asked.breaker.type === "half-open") expect(askCircuit(asked.breaker, now).type).toBe("wait");
          breaker = afterOutcome(asked.breaker, outcome, now);
          if (outcome === "answered") expect(breaker).toEqual(closedCircuit);
        }
      }),
    );
  });
});
