import { test } from "vitest";
import { Tally } from "../oracle/judge.ts";
import { chosenChapter, playAll, seedsOf, storyOf } from "./stories.ts";

// The other half of the seeds of simulation.test.ts, for another processor core.

test.each([1001, 1251, 1501, 1751])(
  "no change is lost, no roll baseless, none frozen after faults (I1, I2, I7): %i",
  async (first) => {
    await playAll(seedsOf(first, 250), storyOf(chosenChapter(), new Tally()));
  },
  1_800_000,
);
