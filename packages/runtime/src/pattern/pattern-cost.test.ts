import { expect, test } from "vitest";
import { patternCost } from "./pattern-cost.ts";

test.each([
  ["a plain name", "^app\\.config$", 13],
  ["a prefix", "^feature-.*$", 26],
  ["alternatives", "^a|b$", 5],
  ["a counted class", "^[a-z0-9]{5}$", 22],
  ["a class counted from one", "^[a-z0-9]{1,5}$", 82],
  ["a counted group", "^(ab){5}$", 122],
  ["a group that is repeated", "^(ab)+$", 26],
  ["a class within a class", "[[:alpha:]_]", 2],
  ["a Unicode class", "\\p{Greek}\\pL", 256],
  ["a Unicode class in a set", "[^\\pL-]", 130],
  ["quoted letters", "\\Qa(b\\E", 7],
  ["a name that ignores case", "(?i)ab", 64],
])("%s costs little", (_, source, cost) => {
  expect(patternCost(source)).toBe(cost);
});

test.each([
  ["((a?){9}){9}"],
  ["(.{0,30}){0,30}"],
  ["a{1000}"],
  [`${"\\pL".repeat(20)}`],
  [`(?i)${"k".repeat(300)}`],
  ["(".repeat(400)],
])("%s costs too much", (source) => {
  expect(patternCost(source)).toBeGreaterThan(1024);
});

test.each([")(", "a)))", "[", "[^]", "\\", "\\Q", "(?P<", "a{2", "x**", "(?i"])(
  "%s, no pattern, costs something",
  (source) => {
    expect(patternCost(source)).toBeGreaterThanOrEqual(0);
  },
);
