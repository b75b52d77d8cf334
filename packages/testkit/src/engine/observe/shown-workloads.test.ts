import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { cronJob } from "@fleet-reloader/domain/kind/cron-job";
import { deployment } from "@fleet-reloader/domain/kind/deployment";
import { ShownWorkloads } from "@fleet-reloader/engine/observe/shown-workloads";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import { expect, test } from "vitest";
import { ManualClock } from "../../memory/manual-clock.ts";
import { MemoryCluster } from "../../memory/memory-cluster.ts";

const cluster = new MemoryCluster({ clock: new ManualClock() });

function live(name: string): LiveWorkload {
  const ref = cluster.setWorkload(name, { template: templateUsing({ app: {} }) });
  const made = cluster.workload(ref);
  if (made === undefined) throw new Error(`${name} was not made`);
  return made;
}

test("a workload is handed out as it was shown last, with its template, once", () => {
  const shown = new ShownWorkloads();
  const first = live("api");
  shown.show("c1", first, deployment);
  const last = { ...first, resourceVersion: "later" };
  shown.show("c1", last, deployment);
  const { ref } = first;
  expect(shown.take("c2", ref, deployment)).toBeUndefined();
  expect(shown.take("c1", ref, deployment)).toEqual(last);
  expect(shown.take("c1", ref, deployment)).toBeUndefined();
});

test("a kind whose roll needs more than its template is not kept", () => {
  const shown = new ShownWorkloads();
  const one = { ...live("job"), ref: { kind: "CronJob", namespace: "ns", name: "job" } };
  shown.show("c1", one, cronJob);
  expect(shown.take("c1", one.ref, cronJob)).toBeUndefined();
});

test("when the texts are too long together, the oldest are dropped", () => {
  const all = ["a", "b", "c"].map(live);
  const length = JSON.stringify({ ...all[0], template: undefined }).length;
  const shown = new ShownWorkloads(2.5 * length);
  for (const one of all) shown.show("c1", one, deployment);
  const kept = all.map(({ ref }) => shown.take("c1", ref, deployment) !== undefined);
  expect(kept).toEqual([false, true, true]);
  // What was taken makes room again.
  for (const one of all.slice(0, 2)) shown.show("c1", one, deployment);
  expect(all.map(({ ref }) => shown.take("c1", ref, deployment) !== undefined)).toEqual([true, true, false]);
});
