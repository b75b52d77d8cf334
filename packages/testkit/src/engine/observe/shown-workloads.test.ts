import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { cronJob } from "@fleet-reloader/domain/kind/cron-job";
import { deployment } from "@fleet-reloader/domain/kind/pod-controller";
import { ShownWorkloads } from "@fleet-reloader/engine/observe/shown-workloads";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import { expect, test, vi } from "vitest";
import { ManualClock } from "../../memory/manual-clock.ts";
import { MarkedText } from "../../memory/marked-text.ts";
import { MemoryCluster } from "../../memory/memory-cluster.ts";

const cluster = new MemoryCluster({ clock: new ManualClock() });

function live(name: string): LiveWorkload {
  const ref = cluster.setWorkload(name, { template: templateUsing({ app: {} }) });
  const made = cluster.workload(ref);
  if (made === undefined) throw new Error(`${name} was not made`);
  return made;
}

test("a workload is handed out as it was shown last, with its template, once", () => {
  const shown = new ShownWorkloads(new ManualClock(), new MarkedText());
  const first = live("api");
  shown.show("c1", first, deployment);
  const last = { ...first, resourceVersion: "later" };
  shown.show("c1", last, deployment);
  const { ref } = first;
  expect(shown.take("c2", ref, deployment)).toBeUndefined();
  expect(shown.take("c1", ref, deployment)).toEqual(last);
  expect(shown.take("c1", ref, deployment)).toBeUndefined();
});

test("with another status, a workload is not written down again but for its version", () => {
  const shown = new ShownWorkloads(new ManualClock(), new MarkedText());
  let writings = 0;
  const counted = {
    toJSON: () => {
      writings += 1;
      return {};
    },
  };
  const made = live("api");
  const first = { ...made, object: { ...Object(made.object), counted } };
  shown.show("c1", first, deployment, 1);
  const last = { ...first, resourceVersion: "later", writtenAtSeconds: first.writtenAtSeconds + 1 };
  shown.show("c1", last, deployment, 1);
  expect(writings).toBe(1);
  expect(shown.take("c1", first.ref, deployment)).toEqual({
    ...last,
    object: { ...first.object, counted: {} },
  });
});

// A state between the two may have been shown, and not remembered because what followed from it failed.
test("a version is never that of another state than the one that is kept", () => {
  const shown = new ShownWorkloads(new ManualClock(), new MarkedText());
  const first = live("api");
  shown.show("c1", first, deployment, 1);
  cluster.setWorkload("api", { template: templateUsing({ other: {} }) });
  const other = cluster.workload(first.ref);
  if (other === undefined) throw new Error("it is gone");
  shown.show("c1", other, deployment, 2);
  const last = { ...first, resourceVersion: "later" };
  shown.show("c1", last, deployment, 1);
  expect(shown.take("c1", first.ref, deployment)).toEqual(last);
});

test("a kind whose roll needs more than its template is not kept", () => {
  const shown = new ShownWorkloads(new ManualClock(), new MarkedText());
  const one = { ...live("job"), ref: { kind: "CronJob", namespace: "ns", name: "job" } };
  shown.show("c1", one, cronJob);
  expect(shown.take("c1", one.ref, cronJob)).toBeUndefined();
});

test("while there is no room for another workload, those that are kept stay", () => {
  const all = ["a", "b", "c"].map(live);
  const length = JSON.stringify({ ...all[0], template: undefined, annotations: undefined }).length;
  const unchanged = { pack: (text: string) => text, unpack: (text: string) => text };
  const shown = new ShownWorkloads(new ManualClock(), unchanged, 2.5 * length);
  const show = () => all.map((one) => shown.show("c1", one, deployment));
  const taken = () => all.map(({ ref }) => shown.take("c1", ref, deployment) !== undefined);
  show();
  // What is shown again takes its own room.
  show();
  expect(taken()).toEqual([true, true, false]);
  show();
  expect(taken()).toEqual([true, true, false]);
});

test("when half of the room is taken, texts are packed, and come back as they were", () => {
  const all = ["a", "b", "c"].map(live);
  const length = JSON.stringify({ ...all[0], template: undefined, annotations: undefined }).length;
  const packing = new MarkedText();
  const pack = vi.spyOn(packing, "pack");
  const shown = new ShownWorkloads(new ManualClock(), packing, 2.5 * length);
  for (const one of all) shown.show("c1", one, deployment);
  expect(pack.mock.calls.map(([text]) => JSON.parse(text).ref.name)).toEqual(["b", "c"]);
  expect(all.map(({ ref }) => shown.take("c1", ref, deployment))).toEqual(all);
});
