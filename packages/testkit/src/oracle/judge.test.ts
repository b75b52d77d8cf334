import { expect, test } from "vitest";
import { Tally } from "./judge.ts";

function forgiving(times: number, rounds: number): readonly string[] {
  const tally = new Tally();
  for (let round = 0; round < rounds; round += 1) tally.roundJudged();
  for (let time = 0; time < times; time += 1) tally.add("pod forgiven: only named, and appeared");
  return tally.forgivenTooOften;
}

test("pods are forgiven in proportion to the rounds that were judged", () => {
  expect(forgiving(0, 0)).toEqual([]);
  expect(forgiving(25, 1000)).toEqual([]);
  expect(forgiving(26, 1000)).toEqual(["only named, and appeared: 26 times, and 25 are allowed"]);
  expect(forgiving(26, 10_000)).toEqual([]);
});
