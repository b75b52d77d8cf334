import { jsonField } from "@fleet-reloader/domain/json";
import { describe, expect, test } from "vitest";
import { followedKinds } from "../../beds/followed-kinds.ts";
import { readsApp, rolloutManifest } from "../../beds/kind-bed.ts";

const minuteMs = 60_000;

/** A canary of two replicas that was just rolled: it has the strategy given. */
async function rolledCanary(strategy: object) {
  const bed = followedKinds();
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  const spec = { replicas: 2, template: readsApp, strategy };
  const web = bed.cluster.setObject("Rollout", "web", rolloutManifest("rollout", spec));
  await bed.reconcile(web, { purpose: "adoption" });
  await bed.clock.advance(minuteMs);
  bed.cluster.setSource("ConfigMap", "app", { a: "2" });
  await bed.reconcile(web);
  const now = () => new Date(bed.clock.now()).toISOString();
  const argoSays = (status: object) => {
    const observedGeneration = `${jsonField(bed.cluster.workload(web)?.object, "metadata", "generation") ?? 1}`;
    bed.cluster.setStatus(web, { observedGeneration, ...status });
  };
  return { ...bed, now, argoSays };
}

const canary = (...steps: readonly object[]) => ({ canary: { steps: [{ setWeight: 20 }, ...steps] } });

describe("a canary", () => {
  test("is not stalled while a pause lasts that Argo ends itself", async () => {
    const bed = await rolledCanary(canary({ pause: { duration: "1h" } }));
    const pauseConditions = [{ reason: "CanaryPauseStep", startTime: bed.now() }];
    bed.argoSays({ phase: "Paused", currentStepIndex: 1, pauseConditions });
    await bed.elapse(70 * minuteMs);
    expect(bed.ended).toEqual([]);
    bed.argoSays({ phase: "Healthy" });
    await bed.elapse(minuteMs);
    expect(bed.ended).toEqual(["healthy Available"]);
  });

  test("is stalled when Argo does not go on after such a pause", async () => {
    const bed = await rolledCanary(canary({ pause: { duration: "1h" } }));
    const pauseConditions = [{ reason: "CanaryPauseStep", startTime: bed.now() }];
    bed.argoSays({ phase: "Paused", currentStepIndex: 1, pauseConditions });
    await bed.elapse(72 * minuteMs);
    expect(bed.ended).toEqual(["stalled NoProgress"]);
  });

  test("is stalled while it waits for a person", async () => {
    const bed = await rolledCanary(canary({ pause: {} }));
    const pauseConditions = [{ reason: "CanaryPauseStep", startTime: bed.now() }];
    bed.argoSays({ phase: "Paused", currentStepIndex: 1, pauseConditions });
    await bed.elapse(12 * minuteMs);
    expect(bed.ended).toEqual(["stalled Paused"]);
  });

  test.each([
    ["an analysis", { analysis: { templates: [{ templateName: "errors" }] } }],
    ["an experiment", { experiment: { templates: [{ name: "new", specRef: "canary" }] } }],
  ])("is not stalled while %s takes long, nor just after it", async (_, step) => {
    const bed = await rolledCanary(canary(step, { setWeight: 100 }));
    bed.argoSays({ phase: "Progressing", currentStepIndex: 1 });
    await bed.elapse(60 * minuteMs);
    const conditions = [{ type: "Progressing", status: "True", lastUpdateTime: bed.now() }];
    bed.argoSays({ phase: "Progressing", currentStepIndex: 2, conditions });
    await bed.elapse(8 * minuteMs);
    expect(bed.ended).toEqual([]);
    await bed.elapse(4 * minuteMs);
    expect(bed.ended).toEqual(["stalled NoProgress"]);
  });
});
