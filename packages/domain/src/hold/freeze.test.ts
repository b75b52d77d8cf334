import { expect, test } from "vitest";
import { type LabelSelector, parseLabelSelector } from "../workload/label-selector.ts";
import { type Freeze, type FreezeScope, type FreezeTarget, freezeOf, frozenByAnnotation } from "./freeze.ts";

const target: FreezeTarget = {
  cluster: "uid-1",
  clusterName: "prod",
  clusterLabels: { env: "prod" },
  workload: { kind: "Deployment", namespace: "shop", name: "api" },
  templateOwner: { kind: "Deployment", namespace: "shop", name: "template" },
  sources: [{ kind: "Secret", namespace: "shop", name: "db" }],
};

function selector(text: string): LabelSelector {
  const parsed = parseLabelSelector(text);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed;
}

const freeze = (scope: FreezeScope, untilMs?: number): Freeze => ({
  ...{ scope, reason: "release", by: "ann" },
  ...(untilMs === undefined ? {} : { untilMs }),
});

test.each<readonly [string, FreezeScope, boolean]>([
  ["the fleet", {}, true],
  ["the cluster by its name", { cluster: "prod" }, true],
  ["the cluster by its id", { cluster: "uid-1" }, true],
  ["another cluster", { cluster: "test" }, false],
  ["clusters by their labels", { clusterSelector: selector("env=prod") }, true],
  ["clusters with other labels", { clusterSelector: selector("env=test") }, false],
  ["the namespace in every cluster", { namespace: "shop" }, true],
  ["the namespace in this cluster", { cluster: "prod", namespace: "shop" }, true],
  ["the namespace in another cluster", { cluster: "test", namespace: "shop" }, false],
  ["the workload", { namespace: "shop", workload: { kind: "Deployment", name: "api" } }, true],
  ["the object it refers to for its template", { workload: { kind: "Deployment", name: "template" } }, true],
  ["another kind of the same name", { workload: { kind: "StatefulSet", name: "api" } }, false],
  ["the source that changed", { source: { kind: "Secret", name: "db" } }, true],
  ["a source that did not change", { source: { kind: "ConfigMap", name: "db" } }, false],
])("a freeze of %s", (_what, scope, isFrozen) => {
  expect(freezeOf([freeze(scope)], target, 0) !== undefined).toBe(isFrozen);
});

test("a freeze with an end is over then, and of several the longest counts", () => {
  const [short, long] = [freeze({}, 1000), freeze({ cluster: "prod" }, 2000)];
  expect(freezeOf([short, long], target, 999)).toBe(long);
  expect(freezeOf([short, long], target, 1999)).toBe(long);
  expect(freezeOf([short, long], target, 2000)).toBeUndefined();
});

test.each([
  [{}, undefined],
  [{ "fleet-reloader.io/freeze": "false" }, undefined],
  [{ "fleet-reloader.io/freeze": "true" }, "true"],
  [{ "fleet-reloader.io/freeze": " until the audit " }, "until the audit"],
  [{ "fleet-reloader.io/freeze": "flase" }, "flase"],
])("the annotations %j freeze for %j", (annotations, why) => {
  expect(frozenByAnnotation(annotations)).toBe(why);
});
