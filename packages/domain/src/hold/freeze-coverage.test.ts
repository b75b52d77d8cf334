import { expect, test } from "vitest";
import type { ClusterStatus } from "../cluster/cluster-status.ts";
import { parseLabelSelector } from "../workload/label-selector.ts";
import { coverageOf } from "./freeze-coverage.ts";

const api = { kind: "Deployment", namespace: "shop", name: "api" };
const statusOf = (state: ClusterStatus["state"]) => ({ state, why: [] });
const again = { name: "nova-again", id: "uid-1", labels: { env: "test" }, status: statusOf("Alias") };
const nova = { name: "nova", id: "uid-1", labels: { env: "prod" }, status: statusOf("Ready") };

const coverage = (scope: Parameters<typeof coverageOf>[0]) =>
  coverageOf(scope, [again, nova], () => [{ ref: api, sources: [], uses: false }]);

const rollout = {
  ref: { kind: "Rollout", namespace: "shop", name: "web" },
  templateOwner: { kind: "Deployment", namespace: "shop", name: "web-template" },
  ...{ sources: [], uses: false },
};

// Workers hold the workload for either of the two.
test.each([rollout.ref, rollout.templateOwner])(
  "a workload that refers to another for its template is covered by both: %j",
  ({ kind, name }) => {
    const found = coverageOf({ workload: { kind, name } }, [nova], () => [rollout]);
    expect(found).toMatchObject({ covered: [{ cluster: "nova", ref: rollout.ref }], missing: undefined });
  },
);

const selecting = (text: string) => {
  const clusterSelector = parseLabelSelector(text);
  if ("problem" in clusterSelector) throw new Error(clusterSelector.problem);
  return { clusterSelector };
};

test.each([{ cluster: "nova" }, { cluster: "uid-1" }, selecting("env=prod"), {}])(
  "a cluster is frozen by what serves it, by its id and with all: %j",
  (scope) => {
    expect(coverage(scope)).toMatchObject({ clusters: ["nova"], workloads: 1, missing: undefined });
  },
);

// Workers know a cluster by the registration that serves it. Other registrations of it are not trusted.
test.each([
  [{ cluster: "nova-again" }, "no cluster is served by the registration nova-again; did you mean nova?"],
  [selecting("env=test"), "no cluster is served by a registration with these labels; did you mean nova?"],
])("a freeze by a registration that stands by covers nothing, and says which does", (scope, missing) => {
  expect(coverage(scope)).toEqual({ clusters: [], workloads: 0, covered: [], missing });
});
