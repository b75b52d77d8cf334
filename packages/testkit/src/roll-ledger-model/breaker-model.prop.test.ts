import { longestHoldMs } from "@fleet-reloader/domain/hold/breaker";
import fc from "fast-check";
import { expect, test } from "vitest";
import { askBreaker, type BreakerState, closedBreaker } from "./breaker-model.ts";

const limit = { rollsMax: 5, withinMs: 600_000 };

/** Asks at each of these times, and says when it was let through. */
function rollsOf(times: readonly number[], versions?: readonly string[]): readonly number[] {
  let state: BreakerState = closedBreaker;
  return times.filter((at, i) => {
    const answer = askBreaker(state, limit, at, versions?.[i]);
    state = answer.state;
    return answer.heldUntilMs === undefined;
  });
}

const times = fc.array(fc.integer({ min: 1, max: 120_000 }), { minLength: 1, maxLength: 300 }).map((gaps) => {
  let at = 1_000_000;
  return gaps.map((gap) => {
    at += gap;
    return at;
  });
});

test("no window has more rolls than the limit plus one after each longest hold", () => {
  const afterHolds = limit.withinMs / longestHoldMs;
  fc.assert(
    fc.property(times, (asked) => {
      const rolls = rollsOf(asked);
      for (const from of rolls)
        expect(rolls.filter((at) => at >= from && at < from + limit.withinMs).length).toBeLessThanOrEqual(
          limit.rollsMax + afterHolds,
        );
    }),
  );
});

test("a roll that asks again when its hold ends is admitted", () => {
  fc.assert(
    fc.property(times, (asked) => {
      let state: BreakerState = closedBreaker;
      for (const at of asked) state = askBreaker(state, limit, at).state;
      const end = Math.max(state.heldUntilMs, (asked.at(-1) ?? 0) + limit.withinMs);
      expect(askBreaker(state, limit, end).heldUntilMs).toBeUndefined();
      expect(state.heldUntilMs - (asked.at(-1) ?? 0)).toBeLessThanOrEqual(longestHoldMs);
    }),
  );
});

test("a loop that asks each second gets one roll in five minutes", () => {
  const each = (seconds: number) => Array.from({ length: seconds }, (_, i) => 1_000_000 + i * 1000);
  expect(rollsOf(each(600))).toHaveLength(6);
  expect(rollsOf(each(86_400)).length).toBeLessThanOrEqual(5 + 1 + 86_400_000 / longestHoldMs);
});

test("no hold is longer than five minutes, however far away room is", () => {
  const hourly = { rollsMax: 100, withinMs: 3_600_000 };
  let state: BreakerState = closedBreaker;
  for (let at = 1; at <= 86_400; at += 1) {
    const answer = askBreaker(state, hourly, at * 1000);
    state = answer.state;
    expect((answer.heldUntilMs ?? 0) - at * 1000).toBeLessThanOrEqual(300_000);
  }
});

test("a breaker is closed again after a window without rolls", () => {
  const storm = Array.from({ length: 60 }, (_, i) => 1_000_000 + i * 1000);
  const later = 1_000_000 + 2 * limit.withinMs;
  const rolls = rollsOf([...storm, ...[0, 1, 2, 3, 4].map((i) => later + i * 1000)]);
  expect(rolls).toHaveLength(10);
});

test("further dependents of a source that roll to the same content do not count", () => {
  const asked = Array.from({ length: 100 }, (_, i) => 1_000_000 + i * 1000);
  expect(
    rollsOf(
      asked,
      asked.map(() => "v1"),
    ),
  ).toHaveLength(100);
  // To and fro between two contents is as bad as ever new ones.
  expect(
    rollsOf(
      asked,
      asked.map((_, i) => `v${i % 2}`),
    ).length,
  ).toBeLessThan(60);
});
