import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { deployment } from "@fleet-reloader/domain/kind/pod-controller";
import { ShownWorkloads } from "@fleet-reloader/engine/observe/shown-workloads";
import { expect, test } from "vitest";
import { adopted } from "../../../beds/adopted-deployment.ts";
import { auto, createTestBed, outcomeOf } from "../../../beds/test-bed.ts";
import { ManualClock } from "../../../memory/manual-clock.ts";
import { MarkedText } from "../../../memory/marked-text.ts";

/** A Deployment that is adopted, in a process that also watches. */
async function watched() {
  const shown = new ShownWorkloads(new ManualClock(), new MarkedText());
  const bed = await adopted({ shown });
  const target = "Deployment/ns/api";
  const calls = (verb: string) => bed.cluster.calls.filter((c) => c.verb === verb && c.target === target);
  /** The watch shows the Deployment as it is now. What was called before is left out of the counts. */
  const show = () => {
    const live = bed.cluster.workload(bed.api);
    if (live !== undefined) shown.show(bed.cluster.cluster, live, deployment);
    bed.cluster.calls.length = 0;
  };
  return { ...bed, show, counts: () => ({ reads: calls("read").length, patches: calls("patch").length }) };
}

test("a roll of a workload that the watch showed needs no read of it", async () => {
  const { run, edit, show, counts, cluster } = await watched();
  edit("2");
  show();
  expect(await run()).toBe("rolled");
  expect(counts()).toEqual({ reads: 0, patches: 1 });
  expect(cluster.rolls()).toHaveLength(1);
});

test("the first applied state of a workload that the watch showed needs no read of it", async () => {
  const shown = new ShownWorkloads(new ManualClock(), new MarkedText());
  const { clock, cluster, reconcile } = createTestBed({ shown });
  cluster.setSource("ConfigMap", "app", { a: "1" });
  const api = cluster.setWorkload("api", { template: templateUsing({ app: {} }), annotations: auto });
  const live = cluster.workload(api);
  if (live !== undefined) shown.show(cluster.cluster, live, deployment);
  await clock.advance(10_000);
  expect(outcomeOf(await reconcile(api, { purpose: "adoption" }))).toBe("recorded");
  expect(cluster.calls.map(({ verb, target }) => `${verb} ${target}`)).toEqual([
    "read ConfigMap/ns/app",
    "patch Deployment/ns/api",
  ]);
});

test("a workload that changed since the watch showed it is read and decided again", async () => {
  const { run, edit, show, counts, cluster, api } = await watched();
  edit("2");
  show();
  cluster.setWorkload("api", {
    template: templateUsing({ app: {}, other: {} }),
    annotations: auto,
  });
  expect(await run()).toBe("rolled");
  expect(counts()).toEqual({ reads: 1, patches: 2 });
  expect(JSON.stringify(cluster.workload(api)?.template)).toContain("other");
});

test("that a workload needs no write is concluded only from a read", async () => {
  const { run, show, counts } = await watched();
  show();
  expect(await run()).toBe("unchanged");
  expect(counts()).toEqual({ reads: 1, patches: 0 });
});

test("an opt-out that the watch has not shown yet stops the roll", async () => {
  const { run, edit, show, cluster } = await watched();
  edit("2");
  show();
  cluster.setWorkload("api", { annotations: { "reloader.stakater.com/auto": null } });
  await run();
  expect(cluster.rolls()).toEqual([]);
});

test("after a write with unknown outcome, and for an audit, the workload is read", async () => {
  const { reconcile, edit, show, counts, api } = await watched();
  edit("2");
  show();
  await reconcile(api, { purpose: "audit" });
  expect(counts().reads).toBe(1);
  show();
  expect(outcomeOf(await reconcile(api, { isDoubtful: true }))).toBe("rolled");
  expect(counts().reads).toBe(1);
});
