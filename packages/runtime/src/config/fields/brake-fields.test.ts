import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";
import { brakeFields, rollLimitsOf } from "./brake-fields.ts";

const limits = (...args: readonly string[]) => rollLimitsOf(loadConfig(brakeFields, { args, env: {} }));
const breaker = { rollsMax: 100, withinMs: 3_600_000 };

test("without flags there are breakers and no budgets", () => {
  expect(limits()).toEqual({ workloadBreaker: breaker, sourceBreaker: breaker });
});

test("0 takes a breaker away, and a budget is what it says", () => {
  expect(
    limits(
      ...["--breaker-workload", "0", "--breaker-source", "3/1m"],
      ...["--budget-fleet", "unfinished=5, rate=30/m", "--budget-cluster", "rate=5/s,burst=10"],
    ),
  ).toEqual({
    sourceBreaker: { rollsMax: 3, withinMs: 60_000 },
    fleet: { unfinishedMax: 5, rate: { rolls: 30, perMs: 60_000, burst: 1 } },
    cluster: { rate: { rolls: 5, perMs: 1000, burst: 10 } },
  });
});

test("a time is written in days, too", () => {
  expect(limits("--breaker-source", "3/2d").sourceBreaker).toEqual({ rollsMax: 3, withinMs: 172_800_000 });
  expect(limits("--budget-fleet", "rate=30/d").fleet?.rate).toEqual({
    rolls: 30,
    perMs: 86_400_000,
    burst: 1,
  });
});

test.each([
  ["--breaker-source", "often"],
  ["--breaker-source", "0/10m"],
  ["--breaker-workload", "5/10"],
  ["--budget-fleet", "rate=5"],
  ["--budget-fleet", "rate=0/s"],
  ["--budget-fleet", "burst=5"],
  ["--budget-fleet", "unfinished=-1"],
  ["--budget-fleet", "unfinished=1,unfinished=2"],
  ["--budget-namespace", "rolls=5"],
])("%s %s is refused with an example", (flag, value) => {
  expect(() => limits(flag, value)).toThrow(`${flag}`);
  expect(() => limits(flag, value)).toThrow("for example");
});
