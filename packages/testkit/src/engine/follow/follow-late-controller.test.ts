import { expect, test } from "vitest";
import { healthy, rolledDeployment, starting } from "../../beds/rolled-deployment.ts";

/** Its controller has not seen the roll. */
const unobserved = { ...healthy, observedGeneration: 0 };

function failing(createdAtMs: number) {
  const waiting = { reason: "ErrImagePull", message: "the registry is busy" };
  return {
    metadata: {
      name: "api-1",
      creationTimestamp: new Date(createdAtMs).toISOString(),
      labels: { "pod-template-hash": "1" },
    },
    status: { containerStatuses: [{ name: "app", state: { waiting } }] },
  };
}

// In a fan-out the controller of all Deployments begins with the last of them minutes later.
test("a rollout that begins late has not failed by the start of its first pod", async () => {
  const bed = await rolledDeployment();
  bed.cluster.setStatus(bed.api, unobserved);
  await bed.elapse(55_000);
  bed.cluster.setStatus(bed.api, starting);
  bed.cluster.pods = [failing(bed.clock.now())];
  const before = bed.cluster.calls.length;
  await bed.elapse(12_000);
  expect(bed.cluster.calls.slice(before).map(({ verb }) => verb)).toContain("list");
  expect(bed.results()).toEqual([]);
  bed.cluster.pods = [];
  bed.cluster.setStatus(bed.api, healthy);
  await bed.elapse(60_000);
  expect(bed.results()).toEqual(["healthy Available"]);
});

test("a pod that fails for longer than its start may take ends the rollout", async () => {
  const bed = await rolledDeployment();
  bed.cluster.setStatus(bed.api, unobserved);
  await bed.elapse(40_000);
  bed.cluster.setStatus(bed.api, starting);
  bed.cluster.pods = [failing(bed.clock.now())];
  await bed.elapse(60_000);
  expect(bed.results()).toEqual(["failed ImagePullBackOff"]);
});

test("no pods are listed of a rollout that has not begun, and it is not stalled", async () => {
  const bed = await rolledDeployment();
  bed.cluster.setWorkload("api", { fields: { spec: { progressDeadlineSeconds: 60 } } });
  bed.cluster.setStatus(bed.api, unobserved);
  await bed.elapse(280_000);
  expect(bed.results()).toEqual([]);
  expect(bed.cluster.calls.filter(({ verb }) => verb === "list")).toEqual([]);
  await bed.elapse(120_000);
  expect(bed.results()).toEqual(["stalled NoProgress"]);
});

test("an end is told while the look at another rollout takes long", async () => {
  let isSlow = false;
  const bed = await rolledDeployment({
    turn: async ({ target }) => {
      if (isSlow && target.endsWith("/other")) await new Promise(() => undefined);
    },
  });
  bed.cluster.setStatus(bed.api, starting);
  await bed.elapse(60_000);
  const workload = bed.cluster.setWorkload("other", {});
  const run = { rolledAtMs: bed.clock.now() - 60_000, sources: [] };
  const lookAtMs = bed.clock.now() + 20_000;
  await bed.runs.start([{ request: { cluster: "c1", workload }, run, lookAtMs }]);
  const request = { cluster: "c1", workload: bed.api };
  const own = await bed.runs.find(request);
  if (own !== undefined) await bed.runs.leave([{ request, run: own, lookAtMs }]);
  isSlow = true;
  bed.cluster.setStatus(bed.api, healthy);
  await bed.elapse(40_000);
  expect(bed.results()).toEqual(["healthy Available"]);
});
