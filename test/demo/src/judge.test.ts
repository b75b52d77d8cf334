import { describe, expect, test } from "vitest";
import { exitCodeOf, isComplete, judgeRolls } from "./judge.ts";
import { once } from "./story/step.ts";

const billing = { kind: "Deployment", namespace: "payments", name: "billing" };
const ledger = { kind: "StatefulSet", namespace: "payments", name: "ledger" };
const onNova = { cluster: "nova", ...billing };

describe("judging the rolls of a step", () => {
  test("as told: no problem", () => {
    expect(judgeRolls([once("nova", billing)], [onNova])).toEqual([]);
    expect(judgeRolls([], [])).toEqual([]);
  });

  test("a roll that did not come", () => {
    expect(judgeRolls([once("nova", billing)], [])).toEqual([
      "nova Deployment payments/billing: 1 roll expected, 0 seen",
    ]);
  });

  test("a second roll for one change", () => {
    expect(judgeRolls([once("nova", billing)], [onNova, onNova])).toEqual([
      "nova Deployment payments/billing: 1 roll expected, 2 seen",
    ]);
  });

  test("a roll of a bystander, also beside the expected one", () => {
    expect(judgeRolls([once("nova", billing)], [onNova, { cluster: "nova", ...ledger }])).toEqual([
      "nova StatefulSet payments/ledger: no roll expected, 1 seen",
    ]);
  });

  test("the same workload on the wrong cluster makes two problems", () => {
    expect(judgeRolls([once("nova", billing)], [{ cluster: "otech62", ...billing }])).toHaveLength(2);
  });

  test("waiting ends when all have been seen, not when as many have", () => {
    const both = [once("nova", billing), once("otech62", billing)];
    expect(isComplete(both, [onNova, onNova])).toBe(false);
    expect(isComplete(both, [onNova, { cluster: "otech62", ...billing }])).toBe(true);
  });
});

describe("the exit code", () => {
  const right = { problems: [] };

  test("0 when all steps were played and went as told", () => {
    expect(exitCodeOf([right, right], 2)).toBe(0);
  });

  test("1 when one outcome is wrong", () => {
    expect(
      exitCodeOf([right, { problems: ["nova Deployment payments/billing: 1 roll expected, 2 seen"] }], 2),
    ).toBe(1);
  });

  test("1 when the story was not played to its end, or not at all", () => {
    expect(exitCodeOf([right], 2)).toBe(1);
    expect(exitCodeOf([], 0)).toBe(1);
  });
});
