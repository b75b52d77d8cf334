import { expect, test } from "vitest";
import { areAllUpdated } from "./all-updated.ts";

function workload(status: object, generation = 2): object {
  return { metadata: { generation }, status: { observedGeneration: 2, ...status } };
}

test.each([
  ["of a Deployment, ready or not", { replicas: 3, updatedReplicas: 3, availableReplicas: 1 }],
  ["of a DaemonSet", { currentNumberScheduled: 3, updatedNumberScheduled: 3 }],
])("all pods are updated: %s", (_, status) => {
  expect(areAllUpdated(workload(status))).toBe(true);
});

test.each([
  ["while pods of another template run", workload({ replicas: 4, updatedReplicas: 1 })],
  ["while a DaemonSet has some", workload({ currentNumberScheduled: 3, updatedNumberScheduled: 2 })],
  ["before the controller has seen the template", workload({ replicas: 3, updatedReplicas: 3 }, 3)],
  ["where the status does not count them", workload({})],
])("not all pods are known to be updated %s", (_, object) => {
  expect(areAllUpdated(object)).toBe(false);
});
