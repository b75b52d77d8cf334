import { describe, expect, it } from "vitest";
import { countRolls, countWrong, judgeMerged, judgeRolls } from "./judge.ts";

const rolls = new Map([
  ["once", [10]],
  ["twice", [10, 20]],
  ["never", []],
]);

describe("judgeRolls", () => {
  it("names what rolled too seldom and too often", () => {
    expect(judgeRolls(rolls, () => 1)).toEqual([
      "spurious: twice rolled 2 times, not 1",
      "missed: never rolled 0 of 1 times",
    ]);
    expect(judgeRolls(rolls, (name) => rolls.get(name)?.length ?? 0)).toEqual([]);
    expect(countRolls(rolls)).toBe(3);
    expect(countWrong(rolls, () => 1)).toEqual({ missed: 1, spurious: 1 });
    expect(countWrong(rolls, () => 3)).toEqual({ missed: 6, spurious: 0 });
  });
});

describe("judgeMerged", () => {
  it("wants a roll after the last write", () => {
    expect(judgeMerged(new Map([["app", [10]]]), () => [5, 11])).toEqual([
      "missed: the last write of app was never rolled out",
    ]);
    expect(judgeMerged(new Map([["app", [12]]]), () => [5, 11])).toEqual([]);
  });

  it("allows no more rolls than writes, and none without one", () => {
    expect(judgeMerged(new Map([["app", [12, 13]]]), () => [11])).toHaveLength(1);
    expect(judgeMerged(new Map([["app", [12]]]), () => [])).toHaveLength(1);
    expect(judgeMerged(new Map([["app", []]]), () => [])).toEqual([]);
  });
});
