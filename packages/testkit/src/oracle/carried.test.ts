import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { expect, test } from "vitest";
import { type Intent, modes } from "../simulation/intent.ts";
import { Simulation } from "../simulation/world.ts";
import { type Forgiven, lostChanges } from "./carried.ts";
import { judgedOf } from "./judged-world.ts";

const source = { kind: "ConfigMap", name: "app" } as const;

/** A workload names a source, or uses it; it was gone when its pod was made anew, and is back with another content and then with its own. */
async function backAgain(uses: Intent["uses"]) {
  const world = new Simulation(1, { isSkewed: false, lateChance: 0 });
  const { cluster, people } = world;
  world.arrive();
  await world.calm(5000);
  people.editSource(source);
  const template = templateUsing(uses);
  const ref = cluster.setWorkload("api", { annotations: modes.named, template });
  people.intend(ref, { ref, mode: "named", uses });
  await world.calm(10_000);
  const data = () => people.versionAt({ ...source, namespace: "ns" }, cluster.writes.length).live?.data;
  const text = JSON.stringify(data());
  people.deleteSource(source);
  await world.heal();
  world.pods.evict(ref);
  await world.calm(5000);
  do people.editSource(source);
  while (JSON.stringify(data()) === text);
  await world.pass(1000);
  while (JSON.stringify(data()) !== text) people.editSource(source);
  const forgiven: Forgiven[] = [];
  const lost = lostChanges(judgedOf(world, 0), ref, (why) => forgiven.push(why));
  await world.end();
  return { lost, forgiven };
}

test("what is only named no pod misses when it is gone", async () => {
  const why = "back to what was noted, since the pods began to start";
  expect(await backAgain({})).toEqual({ lost: [], forgiven: [why] });
});

test("a pod that started while an optional source was gone has to go", async () => {
  const { lost, forgiven } = await backAgain({ app: { kind: "ConfigMap", optional: true } });
  expect([lost.length, forgiven]).toEqual([1, []]);
});

test("of what comes to count after the note, before the last edit, nothing tells", async () => {
  const world = new Simulation(1, { isSkewed: false, lateChance: 0 });
  const { cluster, people } = world;
  const latest = () => people.versionsBetween({ ...source, namespace: "ns" }, 0, cluster.writes.length);
  const isMatching = (version = latest()[0]) =>
    version?.live?.annotations["reloader.stakater.com/match"] === "true" &&
    version.live.annotations["reloader.stakater.com/ignore"] === undefined;
  const dataOf = (version = latest()[0]) => JSON.stringify(version?.live?.data);
  const hasBothKeys = (version = latest()[0]) => Object.keys(version?.live?.data ?? {}).length === 2;
  world.arrive();
  await world.calm(5000);
  do people.editSource(source);
  while (isMatching());
  const read = dataOf();
  const uses = {
    app: { kind: "ConfigMap", optional: false },
    "app-x": { kind: "ConfigMap", optional: true },
  } as const;
  const ref = cluster.setWorkload("api", { annotations: modes.search, template: templateUsing(uses) });
  people.intend(ref, { ref, mode: "search", uses });
  await world.calm(10_000);
  const canGoBack = ([now, before, first] = latest()) =>
    [now, before, first].every((version) => version !== undefined && isMatching(version)) &&
    new Set([read, dataOf(now), dataOf(before), dataOf(first)]).size === 4;
  while (!canGoBack() || !hasBothKeys(latest()[1])) {
    people.editSource(source);
    await world.pass(1000);
  }
  cluster.setWorkload("api", { annotations: { note: "of people" } });
  people.revertSource(source);
  await world.heal();
  const forgiven: Forgiven[] = [];
  expect(lostChanges(judgedOf(world, 0), ref, (why) => forgiven.push(why))).toEqual([]);
  expect(forgiven).toEqual(["before its last edit by people, unseen"]);
  await world.end();
});
