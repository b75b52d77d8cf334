import { expect, test } from "vitest";
import { failureReport, rollReport } from "./fixture/reports.ts";
import { Repeats } from "./repeats.ts";

test("a lasting failure is sent once an hour, another's at once, and anew after a roll", () => {
  const repeats = new Repeats();
  const minute = 60_000;
  expect(repeats.isNews(failureReport("api", 0))).toBe(true);
  expect(repeats.isNews(failureReport("api", 5 * minute))).toBe(false);
  expect(repeats.isNews(failureReport("web", 5 * minute))).toBe(true);
  expect(repeats.isNews(failureReport("api", 60 * minute))).toBe(true);
  expect(repeats.isNews(failureReport("api", 61 * minute))).toBe(false);
  repeats.ended(rollReport("api"));
  expect(repeats.isNews(failureReport("api", 62 * minute))).toBe(true);
  expect(repeats.isNews(failureReport("web", 62 * minute))).toBe(false);
});
