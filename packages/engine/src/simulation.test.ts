import { expect, test } from "vitest";
import { Tally } from "./fixture/oracle/judge.ts";
import { burstsStory, chosenChapter, playAll, seedsOf, storyOf } from "./fixture/simulation/stories.ts";

// The code of production over memory doubles, driven by random commands; then all heals and the invariants are checked by
// a second implementation that reads only the API server's writes and what pods started with. A seed is a whole story:
//   SIMULATION_SEED=17 npx vitest run packages/engine/src/simulation.test.ts
// SIMULATION_CHAPTER plays only one of the things that go wrong: past, faults, clocks, evictions, late, redis, others; or
// life, in which nothing does. The other half of the seeds is in simulation-more-seeds.test.ts. A half takes 50 s of a core; the time-outs
// only end what hangs, also on a machine where two others run all their tests.

test("after any faults, once they end, no change is lost, no roll was without a reason, none was frozen (I1, I2, I7)", async () => {
  const tally = new Tally();
  await playAll(seedsOf(1, 1000), storyOf(chosenChapter(), tally));
  console.info(String(tally));
  // What cannot be told from a change is rare, or the judge is blind.
  expect(tally.shareOf("roll unknown")).toBeLessThan(0.05);
}, 900_000);

test("where nothing fails, changes in quick succession cost one roll (I1, I2, I3)", async () => {
  await playAll(seedsOf(1, 50), burstsStory(new Tally()));
}, 900_000);
