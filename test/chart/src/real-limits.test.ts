import { expect, test } from "vitest";
import { rendered } from "./helm.ts";
import { at, the } from "./manifest.ts";

const hub = { mode: "hub", redis: { url: "redis://redis" } };

test.each([
  [{ maxUnavailable: "", minAvailable: 1 }, { minAvailable: 1 }],
  [{ maxUnavailable: "", minAvailable: "" }, { maxUnavailable: 1 }],
  [{ maxUnavailable: 0, minAvailable: 1 }, { maxUnavailable: 0 }],
  [{ maxUnavailable: "25%" }, { maxUnavailable: "25%" }],
])("the budget of disruptions %j is %j", async (given, wanted) => {
  const reloader = { podDisruptionBudget: { enabled: true, ...given } };
  const { spec } = the(await rendered({ values: { reloader } }), "PodDisruptionBudget");
  expect(spec).toEqual({ ...wanted, selector: expect.anything() });
});

test("a long cooldown is KEDA's, and the HPA gets the longest window that it takes", async () => {
  const keda = { enabled: true, cooldownPeriod: 7200 };
  const scaled = the(
    await rendered({ values: { fleetReloader: { ...hub, hub: { keda } } } }),
    "ScaledObject",
  );
  const way = ["advanced", "horizontalPodAutoscalerConfig", "behavior", "scaleDown"];
  expect(at(scaled, "spec", "cooldownPeriod")).toBe(7200);
  expect(at(scaled, "spec", ...way, "stabilizationWindowSeconds")).toBe(3600);
});

test.each([
  [1, true],
  [2, false],
])("of %d pods on a shared Redis a claim is mounted: %j", async (replicas, isMounted) => {
  const fleetReloader = { redis: hub.redis, persistence: { enabled: true } };
  const objects = await rendered({ values: { reloader: { deployment: { replicas } }, fleetReloader } });
  const pod = at(the(objects, "Deployment"), "spec", "template", "spec");
  expect(at(pod, "volumes", 0, "persistentVolumeClaim") !== undefined).toBe(isMounted);
  expect(objects.some(({ kind }) => kind === "PersistentVolumeClaim")).toBe(isMounted);
});
