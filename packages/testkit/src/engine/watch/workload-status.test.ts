import { fieldManager } from "@fleet-reloader/domain/field-manager";
import { deployment } from "@fleet-reloader/domain/kind/pod-controller";
import { ShownWorkloads } from "@fleet-reloader/engine/observe/shown-workloads";
import { expect, test, vi } from "vitest";
import { outcomeOf, stateAnnotation } from "../../beds/test-bed.ts";
import { watchedWorkloads } from "../../beds/watched-workloads.ts";
import { ManualClock } from "../../memory/manual-clock.ts";
import { MarkedText } from "../../memory/marked-text.ts";

/** A Deployment that names its ConfigMap by a pattern, so that each time its interest is read is seen. */
async function watched() {
  const shown = new ShownWorkloads(new ManualClock(), new MarkedText());
  const bed = await watchedWorkloads({ shown });
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  const api = bed.deployment("api", { "configmap.reloader.stakater.com/reload": "ap.+" });
  await bed.upsert(api);
  await bed.clock.advance(10_000);
  await bed.reconcile(api, { purpose: "adoption" });
  await bed.upsert(api);
  const compile = vi.spyOn(bed.names, "compile");
  bed.cluster.calls.length = 0;
  const statusUpdates = async (count: number) => {
    for (let at = 0; at < count; at += 1) {
      bed.cluster.setStatus(api, { replicas: 12, updatedReplicas: at });
      await bed.upsert(api);
    }
  };
  return { ...bed, shown, api, statusUpdates, reads: () => compile.mock.calls.length };
}

test("status updates of a workload do not lead to reading its interest again", async () => {
  const { reads, statusUpdates } = await watched();
  await statusUpdates(10);
  expect(reads()).toBe(0);
});

test("a roll after status updates needs no read, and its PATCH is not refused", async () => {
  const { api, cluster, reconcile, statusUpdates } = await watched();
  await statusUpdates(10);
  cluster.setSource("ConfigMap", "app", { a: "2" });
  expect(outcomeOf(await reconcile(api))).toBe("rolled");
  const calls = cluster.calls.filter(({ target }) => target === "Deployment/ns/api");
  expect(calls.map(({ verb }) => verb)).toEqual(["patch"]);
});

// Then pods of before may have stayed (ADR 0016).
test("with earlier contents, only the status update that ends the rollout is read", async () => {
  const { api, cluster, reads, statusUpdates, upsert } = await watched();
  const earlier = '"sources":{"ConfigMap/app":{"digest":"d","earlier":[{"until":1,"digest":"e"}]}}';
  const rolled = `{"v":1,"key":"k1","template":"t","until":0,${earlier}}`;
  cluster.setWorkload("api", { annotations: { [stateAnnotation]: rolled }, manager: fieldManager });
  await upsert(api);
  const before = reads();
  await statusUpdates(10);
  expect(reads()).toBe(before);
  await statusUpdates(13);
  expect(reads()).toBe(before + 1);
});

// As the API server shows them: the entry of who writes the status has the time of its last write.
test("of what others own, only that of the status may differ in a status update", async () => {
  const { live, api, reads, watch } = await watched();
  const shown = async (time: string, subresource: string, annotation = "revision") => {
    const before = reads();
    const { object, ...workload } = live(api);
    const fieldsV1 = { "f:metadata": { "f:annotations": { [`f:${annotation}`]: {} } }, "f:status": { time } };
    const entry = { manager: "controller", operation: "Update", subresource, time, fieldsV1 };
    const metadata = { ...Object(object).metadata, managedFields: [entry] };
    await watch.events([
      { type: "upsert", object: { ...workload, object: { ...Object(object), metadata } } },
    ]);
    return reads() - before;
  };
  expect(await shown("2026-01-01T00:00:00Z", "status")).toBe(1);
  expect(await shown("2026-01-01T00:00:01Z", "status")).toBe(0);
  expect(await shown("2026-01-01T00:00:01Z", "status", "other")).toBe(1);
  expect(await shown("2026-01-01T00:00:01Z", "scale")).toBe(1);
  expect(await shown("2026-01-01T00:00:02Z", "scale")).toBe(1);
});

test("a write that changes the owner of a field is no status update", async () => {
  const { api, clock, cluster, reads, upsert } = await watched();
  await clock.advance(1000);
  cluster.setWorkload("api", { fields: { metadata: { labels: { team: "a" } } }, manager: "other" });
  await upsert(api);
  expect(reads()).toBeGreaterThan(0);
});

test.each([
  { what: "that a list does not show any more", go: "list" },
  { what: "of a namespace that is no longer served", go: "leave" },
] as const)("nothing stays of a workload $what", async ({ go }) => {
  const { api, live, shown, watch } = await watched();
  const { generation, uid } = live(api);
  const request = { cluster: "c1", workload: api };
  shown.rollouts.await(request, { rolledAtMs: 1, uid, generation });
  expect(shown.rollouts.of(request, { rolledAtMs: 1 })).toBeDefined();
  if (go === "leave") await watch.leave("ns");
  else {
    watch.listBegins();
    await watch.listed();
  }
  expect(shown.rollouts.of(request, { rolledAtMs: 1 })).toBeUndefined();
  expect(shown.take("c1", api, deployment)).toBeUndefined();
});
