import { expect, test } from "vitest";
import { parseDuration } from "./duration.ts";

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
