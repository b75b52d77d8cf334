import { expect, test } from "vitest";
import { defaultKinds, knownKinds } from "./known-kinds.ts";

test("each kind is registered once, in the peer's order, with its resource", () => {
  expect(
    knownKinds.map(({ kind, group, version, plural }) => `${kind} ${group}/${version}/${plural}`),
  ).toEqual([
    "Deployment apps/v1/deployments",
    "CronJob batch/v1/cronjobs",
    "Job batch/v1/jobs",
    "DaemonSet apps/v1/daemonsets",
    "StatefulSet apps/v1/statefulsets",
    "Rollout argoproj.io/v1alpha1/rollouts",
    "DeploymentConfig apps.openshift.io/v1/deploymentconfigs",
  ]);
});

test("Rollouts have to be asked for, as with the peer", () => {
  expect(knownKinds.filter((kind) => !defaultKinds.includes(kind)).map(({ kind }) => kind)).toEqual([
    "Rollout",
  ]);
});
