import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Burst, type Debounce, delayFor, dueAt, noteChange } from "./debounce.ts";

const ms = fc.integer({ min: 0, max: 100_000 });
const debounces = fc.record({ quietPeriodMs: ms, maxWaitMs: ms });
const times = fc.array(ms, { minLength: 1, maxLength: 30 });

const begun = (at: number): Burst => ({ firstAt: at, lastAt: at });

function burstOf([first = 0, ...others]: readonly number[]): Burst {
  return others.reduce(noteChange, begun(first));
}

/** When the workload would be rolled: each time the burst is due before the next change comes. */
function rolls(changes: readonly number[], debounce: Debounce): readonly number[] {
  const due: number[] = [];
  let burst: Burst | undefined;
  for (const now of changes) {
    if (burst !== undefined && dueAt(burst, debounce) <= now) {
      due.push(dueAt(burst, debounce));
      burst = undefined;
    }
    burst = burst === undefined ? begun(now) : noteChange(burst, now);
  }
  return burst === undefined ? due : [...due, dueAt(burst, debounce)];
}

describe("a burst of changes", () => {
  test("is due a quiet period after its last change", () => {
    expect(dueAt(burstOf([0, 1_000, 1_500]), { quietPeriodMs: 2_000, maxWaitMs: 30_000 })).toBe(3_500);
  });

  test("is due after the maximum wait though changes go on", () => {
    expect(dueAt(burstOf([0, 1_000, 29_900]), { quietPeriodMs: 2_000, maxWaitMs: 30_000 })).toBe(30_000);
  });

  test("is due at once with a quiet period of 0", () => {
    fc.assert(
      fc.property(ms, ms, (now, maxWaitMs) => {
        expect(dueAt(burstOf([now]), { quietPeriodMs: 0, maxWaitMs })).toBe(now);
        expect(delayFor(now, now, { quietPeriodMs: 0, maxWaitMs })).toBe(0);
      }),
    );
  });

  test("one more change never makes it earlier, nor later than the maximum wait", () => {
    fc.assert(
      fc.property(times, ms, debounces, (changes, more, debounce) => {
        const burst = burstOf(changes);
        const longer = noteChange(burst, more);
        expect(dueAt(longer, debounce)).toBeGreaterThanOrEqual(dueAt(burst, debounce));
        expect(dueAt(longer, debounce)).toBeLessThanOrEqual(burst.firstAt + debounce.maxWaitMs);
      }),
    );
  });

  test("costs one roll, and one more for each maximum wait it lasts (I3)", () => {
    const gaps = fc.array(fc.nat(3_000), { maxLength: 60 });
    const debounce = fc.record({
      quietPeriodMs: fc.nat(5_000),
      maxWaitMs: fc.integer({ min: 1, max: 10_000 }),
    });
    fc.assert(
      fc.property(gaps, debounce, (all, limits) => {
        const changes = [0];
        for (const gap of all.filter((each) => each < limits.quietPeriodMs))
          changes.push((changes.at(-1) ?? 0) + gap);
        const lengthMs = changes.at(-1) ?? 0;
        expect(rolls(changes, limits).length).toBeLessThanOrEqual(
          1 + Math.floor(lengthMs / limits.maxWaitMs),
        );
      }),
    );
  });

  test("of a change a second for ten minutes costs at most 21 rolls (T11)", () => {
    const changes = Array.from({ length: 600 }, (_, i) => i * 1_000);
    expect(rolls(changes, { quietPeriodMs: 2_000, maxWaitMs: 30_000 }).length).toBeLessThanOrEqual(21);
  });
});

describe("the delay after a change", () => {
  test("ends when the burst is due", () => {
    fc.assert(
      fc.property(ms, fc.nat(200_000), debounces, (firstAt, laterMs, debounce) => {
        const now = firstAt + laterMs;
        const due = dueAt({ firstAt, lastAt: now }, debounce);
        expect(now + delayFor(firstAt, now, debounce)).toBe(Math.max(now, due));
      }),
    );
  });

  test("is from zero to the quiet period, whatever the clocks say", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), debounces, (firstAt, now, debounce) => {
        const delayMs = delayFor(firstAt, now, debounce);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThanOrEqual(debounce.quietPeriodMs);
      }),
    );
  });
});
