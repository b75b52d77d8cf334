import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { expect, test } from "vitest";
import { type Mode, modes } from "../simulation/intent.ts";
import { Simulation } from "../simulation/world.ts";
import { judgedOf } from "./judged-world.ts";
import { unlookedWhenReady } from "./ready.ts";

const one = { kind: "ConfigMap", name: "app" } as const;
const other = { kind: "Secret", name: "tls" } as const;

/** A watcher began where one workload was, of which nothing is noted, and said that it is ready after `meanwhile`. */
function readyWith(mode: Mode, meanwhile: (world: Simulation) => void): readonly string[] {
  const world = new Simulation(1, { isSkewed: false, lateChance: 0 });
  const { cluster, people } = world;
  people.editSource(one);
  people.editSource(other);
  const uses = {
    app: { kind: "ConfigMap", optional: false },
    tls: { kind: "Secret", optional: false },
  } as const;
  const ref = cluster.setWorkload("api", { annotations: modes[mode], template: templateUsing(uses) });
  people.intend(ref, { ref, mode, uses });
  const begunAt = cluster.writes.length;
  meanwhile(world);
  world.ready.push({ begunAt, at: cluster.writes.length });
  return unlookedWhenReady(judgedOf(world, 0));
}

test("a workload of which nothing is noted has not been looked at", () => {
  expect(readyWith("auto", () => undefined)).toEqual([
    "Deployment/ns/api: ready at write 3, and ConfigMap/app is not noted",
    "Deployment/ns/api: ready at write 3, and Secret/tls is not noted",
  ]);
  expect(readyWith("none", () => undefined)).toEqual([]);
});

test("a workload of which a source was changed meanwhile may wait for its roll", () => {
  expect(readyWith("auto", ({ people }) => people.editSource(one))).toEqual([]);
});
