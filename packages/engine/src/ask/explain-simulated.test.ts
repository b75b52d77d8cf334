import { asFault } from "@fleet-reloader/domain/fault";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import { expect, test } from "vitest";
import { askedWorld, type Done, withoutTime } from "../fixture/simulation/asked.ts";
import { clocks, evictions, life, redisParts, thirdParties } from "../fixture/simulation/commands.ts";
import { seedsOf, turnOfTheEventLoop } from "../fixture/simulation/stories.ts";
import { Simulation } from "../fixture/simulation/world.ts";
import { createExplain } from "./explain.ts";
import type { ExplainedCause, Explanation } from "./explanation.ts";

// A seed is a story. After each of its steps the question is asked, and then a worker decides on the same world:
// (SIMULATION_SEEDS=500 plays so many of them)
//   SIMULATION_SEED=17 npx vitest run packages/engine/src/ask/explain-simulated.test.ts

const limits = {
  workloadBreaker: { rollsMax: 2, withinMs: 60_000 },
  sourceBreaker: { rollsMax: 4, withinMs: 60_000 },
  namespace: { rate: { rolls: 1, perMs: 1000, burst: 2 }, unfinishedMax: 3 },
};
const steps = 25;
const freezes = [
  [4, (world: Simulation) => world.freeze()],
  [4, (world: Simulation) => world.unfreeze()],
] as const;
const commands = [...life, ...clocks, ...evictions, ...redisParts, ...thirdParties, ...freezes].flatMap(
  ([weight, command]) => Array.from({ length: weight }, () => command),
);

function causeTexts(causes: readonly ExplainedCause[]): readonly string[] {
  return causes.map(({ source, reason }) => `${sourceKey(source)} ${reason}`).toSorted();
}

/** What a worker did, in the words of the question. */
function doneText({ result, decision }: Done): string {
  const causes = (decision?.sources ?? [])
    .map((source) => `${sourceKey(source)} ${source.reason}`)
    .toSorted();
  if (result.type === "again")
    return result.hold === undefined ? result.reason : `${result.reason} ${causes}`;
  return result.outcome === "rolled" ? `rolled ${causes}` : result.outcome === "gone" ? "gone" : "stays";
}

function foretoldText({ verdict }: Explanation): string {
  switch (verdict.type) {
    case "roll":
      return `rolled ${causeTexts(verdict.causes)}`;
    case "held":
      return `${verdict.reason} ${causeTexts(verdict.causes)}`;
    case "stays":
      return "stays";
    case "unknown":
      return verdict.reason;
    case "unserved":
      return verdict.reason === "WorkloadGone" ? "gone" : "stays";
  }
}

/** Plays the story of a seed; counts what was foretold, by the first word. */
async function playAndAsk(seed: number, counts: Map<string, number>): Promise<void> {
  const world = new Simulation(seed, { isSkewed: false, lateChance: 0 });
  for (let count = 0; count < 8; count += 1) {
    world.people.editWorkload();
    world.people.editSource();
  }
  world.arrive();
  const { asking, cluster, reconcile } = askedWorld(world, limits);
  const explain = createExplain(asking);
  for (let step = 0; step < steps; step += 1) {
    await world.random.pick(commands)?.(world);
    await world.settle();
    const workload = world.random.pick(world.cluster.workloadRefs);
    if (workload === undefined) continue;
    const writes = world.cluster.writes.length;
    const asked = explain({ cluster: "c1", workload }, cluster, new AbortController().signal);
    const foretold = await withoutTime(world, asked);
    expect(world.cluster.writes.length).toBe(writes);
    const done = await reconcile(workload).catch((error: unknown) => asFault(error).code);
    const place = `seed ${seed}, step ${step}, ${workload.name}`;
    expect(foretoldText(foretold), place).toBe(typeof done === "string" ? done : doneText(done));
    if (typeof done !== "string" && done.decision?.verdict === "no")
      expect(foretold.verdict, place).toMatchObject({ type: "stays", reason: done.decision.reason });
    const [word = ""] = foretoldText(foretold).split(" ");
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
  // Otherwise the stories would prove nothing.
  for (const word of ["rolled", "stays", "Frozen", "WorkloadLooping", "BudgetRate", "BudgetUnfinished"])
    expect(counts.get(word), word).toBeGreaterThan(0);
}, 240_000);
