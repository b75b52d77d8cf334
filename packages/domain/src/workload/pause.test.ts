import { expect, test } from "vitest";
import { defaultDialect } from "../annotation/dialect.ts";
import { type PauseInput, planPause } from "./pause.ts";

const period = "deployment.reloader.stakater.com/pause-period";
const at = "deployment.reloader.stakater.com/paused-at";
const nowMs = Date.parse("2026-03-01T12:00:00.250Z");

function planned(given: Partial<PauseInput>) {
  const input = { kind: "Deployment", annotations: {}, isPaused: false, isRoll: false, ...given };
  const { problems, ...rest } = planPause({ ...input, dialect: defaultDialect, nowMs });
  return { ...rest, problems: problems.map(({ problem }) => problem) };
}

const nothing = { change: undefined, isResumed: false, resumeAfterMs: undefined, problems: [] };
const resumed = { ...nothing, change: { isPaused: false, pausedAt: null }, isResumed: true };

test("the first change pauses, for the period", () => {
  expect(planned({ annotations: { [period]: "1m30s" }, isRoll: true })).toEqual({
    ...nothing,
    change: { isPaused: true, pausedAt: "2026-03-01T12:00:00Z" },
    resumeAfterMs: 90_000,
  });
});

test("without a change nothing is paused", () => {
  expect(planned({ annotations: { [period]: "1m" } })).toEqual(nothing);
});

test("a further change within the period does not prolong it", () => {
  const annotations = { [period]: "1m", [at]: "2026-03-01T11:59:20Z" };
  const left = { ...nothing, resumeAfterMs: 19_750 };
  expect(planned({ annotations, isPaused: true, isRoll: true })).toEqual(left);
  expect(planned({ annotations, isPaused: true })).toEqual(left);
});

test.each([
  ["when the period is over", { [period]: "1m", [at]: "2026-03-01T11:59:00Z" }],
  ["when the period was taken away meanwhile", { [at]: "2026-03-01T11:59:59Z" }],
  ["when nobody can read since when it lasts", { [period]: "1m", [at]: "yesterday" }],
])("a pause of ours ends %s", (_, annotations) => {
  expect(planned({ annotations, isPaused: true })).toEqual(resumed);
  expect(planned({ annotations, isPaused: true, isRoll: true })).toEqual(resumed);
});

test("a pause of ours whose period became unreadable ends, and says so", () => {
  const annotations = { [period]: "soon", [at]: "2026-03-01T11:59:59Z" };
  expect(planned({ annotations, isPaused: true })).toEqual({
    ...resumed,
    problems: ["is not a duration; the Deployment is rolled without a pause"],
  });
});

test("a clock that was ahead does not count: the pause lasts for the period from now", () => {
  const annotations = { [period]: "1m", [at]: "2026-03-01T18:00:00Z" };
  const change = { pausedAt: "2026-03-01T12:00:00Z" };
  const counted = { ...nothing, change, resumeAfterMs: 60_000 };
  expect(planned({ annotations, isPaused: true })).toEqual(counted);
  expect(planned({ annotations, isPaused: true, isRoll: true })).toEqual(counted);
});

test("a pause that a person began is neither ended nor taken over", () => {
  expect(planned({ annotations: { [period]: "1m" }, isPaused: true, isRoll: true })).toEqual(nothing);
  expect(planned({ annotations: { [period]: "1m" }, isPaused: true })).toEqual(nothing);
});

test("what a person resumed early stays resumed until the next change pauses again", () => {
  const annotations = { [period]: "1m", [at]: "2026-03-01T11:59:50Z" };
  expect(planned({ annotations })).toEqual({ ...nothing, change: { pausedAt: null }, isResumed: true });
  expect(planned({ annotations, isRoll: true })).toEqual({
    ...nothing,
    change: { isPaused: true, pausedAt: "2026-03-01T12:00:00Z" },
    resumeAfterMs: 60_000,
  });
});

test.each([
  ["lately", { [period]: "1m", [at]: "2026-03-01T11:50:00Z" }, true],
  ["lately, and took its period away", { [at]: "2026-03-01T11:50:10Z" }, true],
  ["long ago", { [period]: "1m", [at]: "2026-03-01T11:48:59Z" }, false],
  ["at a time that nobody can read", { [period]: "1m", [at]: "yesterday" }, false],
])("a pause that somebody else ended %s leaves nothing of ours", (_, annotations, isResumed) => {
  const left = { ...nothing, change: { pausedAt: null }, isResumed };
  expect(planned({ annotations })).toEqual(left);
});

test.each(["0", "0s", "-5s"])("a period of %s pauses nothing", (text) => {
  expect(planned({ annotations: { [period]: text }, isRoll: true })).toEqual(nothing);
});

test("an unreadable period rolls without a pause, and says so", () => {
  expect(planned({ annotations: { [period]: "5 minutes" }, isRoll: true })).toEqual({
    ...nothing,
    problems: ["is not a duration; the Deployment is rolled without a pause"],
  });
});

test("on other kinds it does nothing, and says so", () => {
  expect(planned({ kind: "StatefulSet", annotations: { [period]: "1m" }, isRoll: true })).toEqual({
    ...nothing,
    problems: ["does nothing on a StatefulSet: only a Deployment can be paused"],
  });
});
