import { expect, test } from "vitest";
import { clusterHealth } from "./cluster-health.ts";
import type { ClusterOverview } from "./fleet-overview.ts";

function cluster(name: string, given: Partial<ClusterOverview> = {}): ClusterOverview {
  const ready = { state: "Ready", why: [] } as const;
  const counts = { workloads: 3, unobserved: 0, rollouts: 0 };
  return { name, labels: {}, id: `uid-${name}`, status: ready, watcher: "w1", ...counts, ...given };
}

function held(name: string, reason: string, id = "1") {
  const workload = { kind: "Deployment", namespace: "ns", name: "api" };
  return { id, request: { cluster: `uid-${name}`, workload }, reason, againAtMs: 0 };
}

test("sick clusters come first, the worst at the top, then those that hold most", () => {
  const clusters = [
    cluster("well"),
    cluster("busy"),
    cluster("slow", { status: { state: "Degraded", why: ["late"] } }),
    cluster("away", { status: { state: "Unreachable", why: ["no route"] } }),
  ];
  const health = clusterHealth(clusters, [held("busy", "Frozen")]);
  expect(health.map(({ name, problems }) => [name, problems])).toEqual([
    ["away", ["no route"]],
    ["slow", ["late"]],
    ["busy", []],
    ["well", []],
  ]);
});

test.each([
  ["has no id", { id: undefined, status: undefined }, "it has not answered yet"],
  ["has no watcher", { watcher: undefined }, "no watcher watches it"],
  ["has workloads that nobody observed", { unobserved: 2 }, "2 workloads are not observed yet"],
])("a cluster that %s is sick", (_, given, problem) => {
  const [first] = clusterHealth([cluster("well"), cluster("x", given)], []);
  expect(first).toMatchObject({ name: "x", problems: [problem] });
});

test("a cluster whose requests are parked is sick, although it was listed as ready", () => {
  const [first] = clusterHealth([cluster("a"), cluster("b")], [held("b", "ClusterFailing")]);
  expect(first).toMatchObject({ name: "b", problems: ["its requests are parked: ClusterFailing"], held: 1 });
});

const report = {
  ...{ status: undefined, streams: 8, behindCount: 0, behind: [], behindSinceMs: undefined },
  ...{ missingRights: [], missingRightCount: 0 },
} as const;

test.each([
  ["Ready", "Degraded", "Degraded"],
  ["Forbidden", "Ready", "Forbidden"],
  ["Paused", "Ready", "Paused"],
  ["Connecting", "Unreachable", "Unreachable"],
] as const)("listed as %s and reported as %s, a cluster is %s", (listed, reported, shown) => {
  const given = {
    status: { state: listed, why: [] },
    report: { ...report, status: { state: reported, why: [] } },
  };
  expect(clusterHealth([cluster("a", given)], [])[0]?.status?.state).toBe(shown);
});

test("a cluster whose streams are behind is sick, and says which", () => {
  const behind = ["Secret is backoff (timeout)"];
  const its = { ...report, behindCount: 3, behind, behindSinceMs: 5 };
  const [first] = clusterHealth([cluster("a"), cluster("b", { report: its })], []);
  const problems = ["3 of 8 streams are behind: Secret is backoff (timeout), and 2 more"];
  expect(first).toMatchObject({ name: "b", problems });
});

test.each(["Paused", "Alias"] as const)("a cluster that is %s is as somebody wants it", (state) => {
  const [only] = clusterHealth(
    [cluster("a", { id: undefined, status: { state, why: [] }, watcher: undefined })],
    [],
  );
  expect(only?.problems).toEqual([]);
});

test("where one process does everything, a cluster needs no watcher", () => {
  expect(clusterHealth([cluster("a", { watcher: undefined })], [])[0]?.problems).toEqual([]);
});
