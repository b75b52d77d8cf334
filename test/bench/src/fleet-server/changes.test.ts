import { expect, it } from "vitest";
import { Changes } from "./changes.ts";
import { problemsOf } from "./problems.ts";

const all = new Set([1, 2]);

it("times each roll from its change, and knows missed and spurious ones", () => {
  const changes = new Changes();
  changes.made(1, 7);
  changes.rolled(1, 7);
  changes.made(1, 8);
  changes.rolled(2, 9);
  const outcome = changes.outcome(all);
  expect(outcome.latenciesMs).toHaveLength(1);
  expect(outcome.latenciesMs[0]).toBeGreaterThanOrEqual(0);
  expect(problemsOf(outcome)).toEqual([
    "missed: 1/8 was changed and not rolled",
    "spurious: 2/9 was rolled without a change",
  ]);
});

it("takes a second roll for one change as one without a reason", () => {
  const changes = new Changes();
  changes.made(1, 7);
  changes.rolled(1, 7);
  changes.rolled(1, 7);
  expect(changes.outcome(all)).toMatchObject({ missed: [], spurious: ["1/7"] });
});

it("looks at the clusters that are asked about only", () => {
  const changes = new Changes();
  changes.made(1, 7);
  changes.made(3, 7);
  expect(changes.countWaiting(all)).toBe(1);
  expect(changes.outcome(all).missed).toEqual(["1/7"]);
});
