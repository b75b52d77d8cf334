import { expect, test } from "vitest";
import { parseDuration, parseTime } from "./duration.ts";

test.each([
  ["90s", 90_000],
  ["5m", 300_000],
  ["2h", 7_200_000],
  ["2d", 172_800_000],
  ["1d12h", 129_600_000],
  ["0.5d", 43_200_000],
  ["-2d", -172_800_000],
  ["0", 0],
  ["0d", 0],
])("%s is %i ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "d", "2", "2 d", "2dd", "1d-2h", "1d+2h", "2h1d", "2w", "d2", "9999999999999999d"])(
  "%j is no duration",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test.each([
  ["2026-01-31T18:00:00Z", Date.UTC(2026, 0, 31, 18)],
  ["2028-02-29T00:00:00.5Z", Date.UTC(2028, 1, 29) + 500],
  ["2026-03-01T00:30:00+01:00", Date.UTC(2026, 1, 28, 23, 30)],
  ["2026-01-31T18:00-0230", Date.UTC(2026, 0, 31, 20, 30)],
])("%s is the time %i", (text, ms) => {
  expect(parseTime(text)).toBe(ms);
});

test.each([
  "2026-01-31",
  "2026-01-31T18:00:00",
  "2026-02-29T18:00:00Z",
  "2026-02-30T18:00:00Z",
  "2026-04-31T18:00:00+02:00",
  "2026-13-01T18:00:00Z",
  "2026-00-10T18:00:00Z",
  "2026-01-31T25:00:00Z",
  "soon",
])("%j is no time", (text) => {
  expect(parseTime(text)).toBeUndefined();
});
