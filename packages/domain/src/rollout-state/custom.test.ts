import { expect, test } from "vitest";
import { argoRolloutState } from "./custom.ts";

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
