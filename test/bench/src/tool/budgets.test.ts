import { expect, it } from "vitest";
import { budgetError } from "./budgets.ts";

const paced = (count: number, perSecond: number) => Array.from({ length: count }, (_, at) => at / perSecond);

it("a pace of a quarter more than the budget is an error of a quarter", () => {
  expect(budgetError(paced(200, 25), 20)).toBeCloseTo(0.25);
  expect(budgetError(paced(200, 20), 20)).toBeCloseTo(0);
});

it("what a full budget lets through at first is no error", () => {
  const burst = Array.from({ length: 20 }, () => 0);
  expect(budgetError([...burst, ...paced(100, 20)], 20)).toBeCloseTo(0);
});
