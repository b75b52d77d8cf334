import { describe, expect, test } from "vitest";
import { Tally } from "../oracle/judge.ts";
import { mutants } from "./mutants.ts";
import { chosenChapter, storyOf } from "./stories.ts";
import { play } from "./story.ts";

// A judge who finds nothing may be blind: with one rule taken out of the product it has to find that, in a story that ends
// well with the rule.

const seedsMax = 200;

describe("with one rule taken out, the simulation finds it", () => {
  test.each(mutants)(
    "$rule",
    async ({ chapter = chosenChapter(), mutation }) => {
      const story = storyOf(chapter, new Tally());
      let found: number | undefined;
      for (let seed = 1; seed <= seedsMax && found === undefined; seed += 1) {
        const isBad = (await play(seed, { ...story, mutation })) !== undefined;
        if (isBad && (await play(seed, story)) === undefined) found = seed;
      }
      expect(found, `not found within ${seedsMax} seeds`).toBeDefined();
    },
    1_800_000,
  );
});
