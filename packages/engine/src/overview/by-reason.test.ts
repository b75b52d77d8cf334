import { expect, test } from "vitest";
import { countByReason, sumOfCounts } from "./by-reason.ts";

test("reasons are counted, the most frequent first, and one that is missing has a name", () => {
  const all = [{ reason: "Frozen" }, { reason: "BudgetRate" }, { reason: "BudgetRate" }, {}];
  expect(Object.entries(countByReason(all))).toEqual([
    ["BudgetRate", 2],
    ["Frozen", 1],
    ["Unknown", 1],
  ]);
  expect(sumOfCounts(countByReason(all))).toBe(4);
  expect(countByReason([])).toEqual({});
  expect(sumOfCounts({})).toBe(0);
});
