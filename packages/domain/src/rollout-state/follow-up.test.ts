import fc from "fast-check";
import { expect, test } from "vitest";
import { nextLookMs, patienceMs, rolloutDeadlineMs, rolloutEnd } from "./follow-up.ts";
import { rolloutReasons } from "./reasons.ts";
import { progressing, type Trouble } from "./rollout-state.ts";

const deadlineMs = 600_000;
const crash: Trouble = { reason: "CrashLoopBackOff", message: "container app" };
const noNode: Trouble = { reason: "Unschedulable", message: "no node" };

test.each([
  ["goes on without trouble", undefined, patienceMs, undefined],
  ["goes on although a container crashed a moment ago", crash, patienceMs - 1, undefined],
  ["has failed when trouble stays", crash, patienceMs, "failed CrashLoopBackOff"],
  ["goes on while it waits for a node", noNode, deadlineMs - 1, undefined],
  ["is stalled when there is no node in time", noNode, deadlineMs, "stalled Unschedulable"],
  ["is stalled when nothing happens in time", undefined, deadlineMs, "stalled NoProgress"],
] as const)("a rollout %s", (_, trouble, spentMs, expected) => {
  const end = rolloutEnd(progressing, trouble, { spentMs, idleMs: spentMs, deadlineMs });
  expect(end && `${end.result} ${end.reason}`).toBe(expected);
});

test("a rollout that made progress a moment ago is not late, however long it has taken", () => {
  const spentMs = 3 * deadlineMs;
  for (const trouble of [undefined, noNode]) {
    expect(rolloutEnd(progressing, trouble, { spentMs, idleMs: deadlineMs - 1, deadlineMs })).toBeUndefined();
    expect(rolloutEnd(progressing, trouble, { spentMs, idleMs: deadlineMs, deadlineMs })?.result).toBe(
      "stalled",
    );
  }
});

test("a rollout that waits for something of unknown length has a day for it", () => {
  const dayMs = 24 * 3_600_000;
  const state = { ...progressing, isOpenEnded: true } as const;
  const time = { spentMs: 2 * dayMs, idleMs: dayMs - 1, deadlineMs };
  expect(rolloutEnd(state, undefined, time)).toBeUndefined();
  expect(rolloutEnd(state, undefined, { ...time, idleMs: dayMs })?.reason).toBe("NoProgress");
});

test("what the status says is the end at once", () => {
  const time = { spentMs: 0, idleMs: 0, deadlineMs };
  const failed = { type: "failed", reason: "JobFailed", message: "m" } as const;
  expect(rolloutEnd(failed, noNode, time)).toEqual({ result: "failed", reason: "JobFailed", message: "m" });
  const healthy = { type: "healthy", reason: "Available", atSeconds: 7 } as const;
  expect(rolloutEnd(healthy, crash, time)).toEqual({ result: "healthy", reason: "Available", atSeconds: 7 });
});

test("every reason ends as the list says", () => {
  for (const { reason, ends } of rolloutReasons) {
    if (ends === "healthy") continue;
    const time = { spentMs: deadlineMs, idleMs: deadlineMs, deadlineMs };
    const end = rolloutEnd(progressing, { reason, message: "" }, time);
    expect(end?.result, reason).toBe(ends);
  }
});

test.each([
  [120, 150_000],
  [undefined, 630_000],
  [2_147_483_647, 630_000],
  [0, 630_000],
])("a progressDeadlineSeconds of %s gives a rollout %d ms", (progressDeadlineSeconds, expected) => {
  expect(rolloutDeadlineMs({ spec: { progressDeadlineSeconds } })).toBe(expected);
});

test("pods that take long to end, or to count as available, have that time on top", () => {
  const template = { spec: { terminationGracePeriodSeconds: 1800 } };
  expect(rolloutDeadlineMs({ spec: { minReadySeconds: 60, template } })).toBe(2_490_000);
  expect(rolloutDeadlineMs({ spec: { minReadySeconds: 60, template, progressDeadlineSeconds: 90 } })).toBe(
    120_000,
  );
});

test("looks come at 5, 10, 15, 30 s and then every half a minute", () => {
  const looks = [5000];
  while (looks.length < 6) looks.push((looks.at(-1) ?? 0) + nextLookMs(looks.at(-1) ?? 0, 5000));
  expect(looks).toEqual([5000, 10_000, 15_000, 30_000, 60_000, 90_000]);
});

test("a look is never at once, and never more than half a minute away", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), fc.constantFrom(1000, 5000), (spentMs, firstMs) => {
      const next = nextLookMs(spentMs, firstMs);
      expect(next).toBeGreaterThan(0);
      expect(next).toBeLessThanOrEqual(30_000);
    }),
  );
});
