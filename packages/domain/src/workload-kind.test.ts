import { expect, test } from "vitest";
import { workloadKinds } from "./workload-kind.ts";

test("each kind is plugged in once, and the API server finds its resource", () => {
  expect(
    workloadKinds.map(({ kind, group, version, plural }) => `${kind} ${group}/${version}/${plural}`),
  ).toEqual([
    "Deployment apps/v1/deployments",
    "DaemonSet apps/v1/daemonsets",
    "StatefulSet apps/v1/statefulsets",
  ]);
});
