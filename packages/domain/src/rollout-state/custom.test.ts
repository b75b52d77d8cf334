import { expect, test } from "vitest";
import { argoRolloutState, declaredState, hasNewDeclaredPods } from "./custom.ts";

const startTime = "2026-07-01T12:00:00Z";
const startedAt = Date.parse(startTime) / 1000;

/** A Rollout that Argo has paused for these reasons, at the first step of its canary. */
function paused(spec: object, ...reasons: readonly string[]): object {
  const pauseConditions = reasons.map((reason) => ({ reason, startTime }));
  return { spec, status: { phase: "Paused", message: "m", currentStepIndex: 0, pauseConditions } };
}

function canary(...steps: readonly object[]): object {
  return { strategy: { canary: { steps } } };
}

test.each([
  [1800, 1800],
  ["1800", 1800],
  ["30m", 1800],
  ["1h30m", 5400],
])("a canary that pauses for %j goes on after %d s", (duration, seconds) => {
  const state = argoRolloutState(paused(canary({ pause: { duration } }), "CanaryPauseStep"));
  expect(state).toEqual({ type: "progressing", atSeconds: startedAt + seconds });
});

test("a preview goes on after the seconds of its automatic promotion", () => {
  const spec = { strategy: { blueGreen: { autoPromotionSeconds: 3600 } } };
  const state = argoRolloutState(paused(spec, "BlueGreenPause"));
  expect(state).toEqual({ type: "progressing", atSeconds: startedAt + 3600 });
});

const timed = { pause: { duration: "1h" } };
const byHand = { autoPromotionEnabled: false, autoPromotionSeconds: 3600 };
test.each([
  ["at a step without a duration", paused(canary({ pause: {} }), "CanaryPauseStep")],
  [
    "at a step whose duration Argo cannot read",
    paused(canary({ pause: { duration: "1d" } }), "CanaryPauseStep"),
  ],
  ["by hand in its spec", paused({ ...canary(timed), paused: true }, "CanaryPauseStep")],
  ["for an analysis, too", paused(canary(timed), "CanaryPauseStep", "InconclusiveAnalysisRun")],
  ["before a promotion by hand", paused({ strategy: { blueGreen: byHand } }, "BlueGreenPause")],
  ["without a condition", paused(canary(timed))],
])("a Rollout that is paused %s waits for a person", (_, object) => {
  const trouble = { reason: "Paused", message: "m" };
  expect(argoRolloutState(object)).toEqual({ type: "progressing", trouble });
});

const counted = { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };
const clone = (updateStrategy: object, status: object, replicas = 3) => ({
  spec: { replicas, updateStrategy },
  status: { ...counted, ...status },
});
test.each([
  ["healthy Available", "has only new pods", clone({}, {})],
  ["progressing", "has an old pod", clone({}, { updatedReplicas: 2 })],
  ["progressing", "still has an old pod more than it wants", clone({}, { replicas: 4 })],
  ["progressing", "has a pod that is not available", clone({}, { availableReplicas: 2 })],
  [
    "progressing",
    "has a pod that is not ready, and counts no available ones",
    clone({}, { availableReplicas: undefined, readyReplicas: 2 }),
  ],
  ["healthy NoPods", "is scaled to zero", clone({}, { replicas: 0, updatedReplicas: 0 }, 0)],
  [
    "healthy NoPods",
    "is scaled to zero by another controller",
    { status: { replicas: 0, updatedReplicas: 0 } },
  ],
  [
    "healthy Partitioned",
    "has the new pods that its partition allows",
    clone({ partition: "50%" }, { updatedReplicas: 2, expectedUpdatedReplicas: 2 }),
  ],
  [
    "progressing",
    "has too few new pods for its partition",
    clone({ rollingUpdate: { partition: 1 } }, { updatedReplicas: 1 }),
  ],
  ["healthy WaitsForManualDelete", "waits for people", clone({ type: "OnDelete" }, { updatedReplicas: 0 })],
  ["stalled Paused", "pauses its update", clone({ paused: true }, { updatedReplicas: 0 })],
])("a declared kind that counts its pods is %s when it %s", (expected, _, object) => {
  const state = declaredState(object);
  expect(state.type === "progressing" ? state.type : `${state.type} ${state.reason}`).toBe(expected);
});

test.each([
  [true, "counts some", { updatedReplicas: 1 }],
  [false, "counts none", { updatedReplicas: 0 }],
  [true, "counts no new pods", { readyReplicas: 3 }],
])("a declared kind may have new pods (%s) when it %s", (expected, _, status) => {
  expect(hasNewDeclaredPods({ spec: {}, status })).toBe(expected);
});
