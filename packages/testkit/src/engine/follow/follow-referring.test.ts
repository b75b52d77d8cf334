import { jsonField } from "@fleet-reloader/domain/json";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { expect, test } from "vitest";
import { readsApp, rolloutManifest } from "../../beds/kind-bed.ts";
import { silentReporter } from "../../beds/silent-reporter.ts";
import { createTestBed, outcomeOf } from "../../beds/test-bed.ts";
import { MemoryRolloutRuns } from "../../memory/memory-rollout-runs.ts";

const workloadRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web-template" };

test("a Rollout goes on until Argo has seen the Deployment that it refers to", async () => {
  const ended: string[] = [];
  const bed = createTestBed({
    settings: { workloadKinds: knownKinds },
    reporter: silentReporter({ ended: ({ result, reason }) => ended.push(`${result} ${reason}`) }),
    following: { runs: new MemoryRolloutRuns(), firstCheckMs: 5000, onSettled: async () => undefined },
  });
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
  expect(ended).toEqual([]);
  argoSees();
  await bed.elapse(30_000);
  expect(ended).toEqual(["healthy Available"]);
});
