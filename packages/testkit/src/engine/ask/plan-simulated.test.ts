import { asFault } from "@fleet-reloader/domain/fault";
import type { ReferencedKeys } from "@fleet-reloader/domain/reference/object-use";
import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { createPlanSource } from "@fleet-reloader/engine/ask/plan-source";
import { expect, test } from "vitest";
import {
  arrivedWorld,
  askedCommands,
  askedWorld,
  doneText,
  foretoldText,
  withoutTime,
} from "../../simulation/asked.ts";
import { sources } from "../../simulation/intent.ts";
import { seedsOf, turnOfTheEventLoop } from "../../simulation/stories.ts";
import type { Simulation } from "../../simulation/world.ts";

// A seed is a story. At its end a change is planned, then made, and then workers decide on every workload:
//   SIMULATION_SEED=17 npx vitest run packages/testkit/src/engine/ask/plan-simulated.test.ts
// SIMULATION_SEEDS=500 plays so many seeds.

const steps = 15;
const changesPerSeed = 5;
const keysAsked: readonly ReferencedKeys[] = ["all", ["a"], ["b"], ["new"]];

/** Makes the change that was planned. */
function change(world: Simulation, { kind, namespace, name }: SourceRef, keys: ReferencedKeys): void {
  const live = world.cluster.source({ kind, namespace, name });
  const texts = [...(live?.content?.data ?? [])].map(([key, bytes]) => [
    key,
    new TextDecoder().decode(bytes),
  ]);
  const data: Record<string, string> = Object.fromEntries(texts);
  const all = texts.length === 0 ? ["changed"] : texts.map(([key = ""]) => key);
  for (const key of keys === "all" ? all : keys) data[key] = `${data[key] ?? ""}\0`;
  world.cluster.setSource(kind, name, data, live?.annotations);
}

async function playAndPlan(seed: number, counts: Map<string, number>): Promise<void> {
  const world = arrivedWorld(seed);
  const { asking, cluster, reconcile } = askedWorld(world, {});
  const plan = createPlanSource(asking);
  for (let count = 0; count < changesPerSeed; count += 1) {
    for (let step = 0; step < steps; step += 1) {
      await world.random.pick(askedCommands)?.(world);
      await world.settle();
    }
    const source = world.random.pick(sources) ?? { kind: "ConfigMap", namespace: "ns", name: "app" };
    const keys = world.random.pick(keysAsked) ?? "all";
    const asked = plan({ source, keys }, cluster, new AbortController().signal);
    const { users } = await withoutTime(world, asked);
    change(world, source, keys);
    const foretold = new Map(users.map(({ workload, verdict }) => [workloadKey(workload), verdict]));
    for (const workload of world.cluster.workloadRefs) {
      const done = await reconcile(workload).catch((error: unknown) => asFault(error).code);
      const place = `seed ${seed}, change ${count}, ${workload.name}`;
      const verdict = foretold.get(workloadKey(workload));
      const did = typeof done === "string" ? done : doneText(done);
      if (verdict === undefined) expect(did, place).not.toContain(`${sourceKey(source)} `);
      else expect(foretoldText(verdict), place).toBe(did);
      const [word = ""] = did.split(" ");
      if (verdict !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  await world.end();
}

test("what plan says of a change is what workers do after it, for any story", async () => {
  const counts = new Map<string, number>();
  for (const seed of seedsOf(1, Number(process.env.SIMULATION_SEEDS ?? 40))) {
    await playAndPlan(seed, counts);
    await turnOfTheEventLoop();
  }
  if (process.env.SIMULATION_SEED !== undefined) return;
  // Otherwise the stories would prove nothing.
  for (const word of ["rolled", "stays", "Frozen"]) expect(counts.get(word), word).toBeGreaterThan(0);
}, 240_000);
