import { describe, expect, test } from "vitest";
import { Tally } from "../oracle/judge.ts";
import { type Mutant, mutants } from "./mutants.ts";
import { chosenChapter, storyOf } from "./stories.ts";
import { play } from "./story.ts";

// A judge who finds nothing may be blind: with one rule taken out of the product it has to find that, in a story that ends
// well with the rule.

const seedsMax = 200;

/** The first seed whose story ends badly with the rule taken out, and well with it. */
async function seedThatFinds({ chapter = chosenChapter(), foundBy = 1, mutation }: Mutant) {
  const story = storyOf(chapter, new Tally());
  for (const seed of [foundBy, ...Array.from({ length: seedsMax }, (_, at) => at + 1)]) {
    const isBad = (await play(seed, { ...story, mutation })) !== undefined;
    if (isBad && (await play(seed, story)) === undefined) return seed;
  }
  return undefined;
}

describe("with one rule taken out, the simulation finds it", () => {
  test.each(mutants)(
    "$rule",
    async (mutant) => {
      expect(await seedThatFinds(mutant), `not found within ${seedsMax} seeds`).toBeDefined();
    },
    1_800_000,
  );
});
