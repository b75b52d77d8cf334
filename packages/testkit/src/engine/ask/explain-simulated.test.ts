import { asFault } from "@fleet-reloader/domain/fault";
import { createExplain } from "@fleet-reloader/engine/ask/explain";
import { expect, test } from "vitest";
import {
  arrivedWorld,
  askedCommands,
  askedWorld,
  doneText,
  foretoldText,
  withoutTime,
} from "../../simulation/asked.ts";
import { seedsOf, turnOfTheEventLoop } from "../../simulation/stories.ts";

// A seed is a story. After each of its steps the question is asked, and then a worker decides on the same world:
//   SIMULATION_SEED=17 npx vitest run packages/testkit/src/engine/ask/explain-simulated.test.ts
// SIMULATION_SEEDS=500 plays so many seeds.

const limits = {
  workloadBreaker: { rollsMax: 2, withinMs: 60_000 },
  sourceBreaker: { rollsMax: 4, withinMs: 60_000 },
  namespace: { rate: { rolls: 1, perMs: 1000, burst: 2 }, unfinishedMax: 3 },
};
const steps = 25;

/** Plays the story of a seed; counts what was foretold, by the first word. */
async function playAndAsk(seed: number, counts: Map<string, number>): Promise<void> {
  const world = arrivedWorld(seed);
  const { asking, cluster, reconcile } = askedWorld(world, limits);
  const explain = createExplain(asking);
  for (let step = 0; step < steps; step += 1) {
    await world.random.pick(askedCommands)?.(world);
    await world.settle();
    const workload = world.random.pick(world.cluster.workloadRefs);
    if (workload === undefined) continue;
    const writes = world.cluster.writes.length;
    const asked = explain({ cluster: "c1", workload }, cluster, new AbortController().signal);
    const { verdict } = await withoutTime(world, asked);
    expect(world.cluster.writes.length).toBe(writes);
    const foretold = foretoldText(verdict);
    const done = await reconcile(workload).catch((error: unknown) => asFault(error).code);
    const place = `seed ${seed}, step ${step}, ${workload.name}`;
    expect(foretold, place).toBe(typeof done === "string" ? done : doneText(done));
    if (typeof done !== "string" && done.decision?.verdict === "no")
      expect(verdict, place).toMatchObject({ type: "stays", reason: done.decision.reason });
    const [word = ""] = foretold.split(" ");
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  await world.end();
}

test("what explain says is what the worker then does, for any story", async () => {
  const counts = new Map<string, number>();
  const count = Number(process.env.SIMULATION_SEEDS ?? 100);
  for (const seed of seedsOf(1, count)) {
    await playAndAsk(seed, counts);
    await turnOfTheEventLoop();
  }
  if (process.env.SIMULATION_SEED !== undefined) return;
  // Otherwise the stories would prove nothing.
  for (const word of ["rolled", "stays", "Frozen", "WorkloadLooping", "BudgetRate", "BudgetUnfinished"])
    expect(counts.get(word), word).toBeGreaterThan(0);
}, 240_000);
