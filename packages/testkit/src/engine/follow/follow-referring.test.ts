import { jsonField } from "@fleet-reloader/domain/json";
import { expect, test } from "vitest";
import { followedKinds } from "../../beds/followed-kinds.ts";
import { readsApp, rolloutManifest } from "../../beds/kind-bed.ts";
import { outcomeOf } from "../../beds/test-bed.ts";

const workloadRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web-template" };

test("a Rollout goes on until Argo has seen the Deployment that it refers to", async () => {
  const bed = followedKinds();
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  const template = bed.cluster.setObject("Deployment", "web-template", { spec: { template: readsApp } });
  const web = bed.cluster.setObject("Rollout", "web", rolloutManifest("rollout", { workloadRef }));
  /** Argo writes generations as texts. */
  const argoSees = () => {
    const generation = jsonField(bed.cluster.workload(web)?.object, "metadata", "generation") ?? 1;
    const ofTemplate = bed.cluster.workload(template)?.generation;
    const seen = { observedGeneration: `${generation}`, workloadObservedGeneration: `${ofTemplate}` };
    bed.cluster.setStatus(web, { ...seen, phase: "Healthy" });
  };
  await bed.reconcile(web, { purpose: "adoption" });
  argoSees();
  await bed.clock.advance(60_000);
  bed.cluster.setSource("ConfigMap", "app", { a: "2" });
  expect(outcomeOf(await bed.reconcile(web))).toBe("rolled");
  await bed.elapse(30_000);
  expect(bed.ended).toEqual([]);
  argoSees();
  await bed.elapse(30_000);
  expect(bed.ended).toEqual(["healthy Available"]);
});
