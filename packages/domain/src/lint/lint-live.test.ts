import { expect, test } from "vitest";
import { defaultDialect } from "../annotation/dialect.ts";
import { readOptIn } from "../annotation/opt-in.ts";
import { compileForTest } from "../fixture/compile-pattern.ts";
import { deployment } from "../kind/pod-controller.ts";
import type { Annotations } from "../workload/workload.ts";
import { lintLive, liveRules } from "./lint-live.ts";
import { lintManifests } from "./lint-manifests.ts";

const settings = { dialect: defaultDialect, autoReloadAll: false, compile: compileForTest };
const auto = { [defaultDialect.auto]: "true" };
const { ConfigMap, Secret } = defaultDialect.kinds;
const usesSettings = { containers: [{ name: "main", envFrom: [{ configMapRef: { name: "settings" } }] }] };
const bySubPath = {
  containers: [{ name: "main", volumeMounts: [{ name: "db", mountPath: "/db", subPath: "password" }] }],
  volumes: [{ name: "db", secret: { secretName: "db" } }],
};
const halfOptional = {
  containers: [
    {
      name: "main",
      envFrom: [
        { configMapRef: { name: "settings" } },
        { configMapRef: { name: "settings", optional: true } },
      ],
    },
  ],
};

/** A Deployment as an item of a list, without apiVersion and kind. */
function live(annotations: Annotations, spec: object = usesSettings) {
  return { metadata: { namespace: "shop", name: "api", annotations }, spec: { template: { spec } } };
}

function rulesOf(object: ReturnType<typeof live>): readonly string[] {
  const annotated = { annotations: object.metadata.annotations, templateAnnotations: {} };
  const optIn = readOptIn(annotated, defaultDialect, settings, compileForTest);
  return lintLive({ object, kind: deployment, optIn, dialect: defaultDialect }).map(({ rule }) => rule);
}

const faults = [
  ["annotation-misplaced", live({ ...auto, [defaultDialect.ignore]: "true" })],
  ["annotation-unknown", live({ ...auto, "reloader.stakater.com/autoo": "true" })],
  ["list-separator", live({ [ConfigMap.named]: "settings; other" })],
  [
    "mount-by-subpath",
    live(
      { [ConfigMap.auto]: "true", [ConfigMap.named]: "settings" },
      {
        ...bySubPath,
        containers: [...bySubPath.containers, ...usesSettings.containers],
      },
    ),
  ],
  ["nothing-to-reload", live({ [Secret.auto]: "true" })],
  ["optional-without-effect", live(auto, halfOptional)],
  ["pattern-anchors", live({ [ConfigMap.named]: "set|tings" })],
] as const;

test.each(faults)("%s is found in a live workload, as in its manifest", (rule, object) => {
  expect(rulesOf(object)).toEqual([rule]);
  const manifest = {
    file: "",
    object: { ...object, apiVersion: "apps/v1", kind: "Deployment" },
    positionOf: () => ({ line: 1, column: 1 }),
  };
  expect(lintManifests([manifest], settings).map((finding) => finding.rule)).toContain(rule);
});

test("every rule that is said of live workloads has a case here", () => {
  expect(faults.map(([rule]) => rule).toSorted()).toEqual(liveRules.toSorted());
});

test("a workload that opts in to nothing has no findings, whatever is wrong with it", () => {
  expect(rulesOf(live({ "reloader.stakater.com/autoo": "true" }, bySubPath))).toEqual([]);
});

test("what depends on other objects is not said: they are not known", () => {
  expect(rulesOf(live({ [ConfigMap.named]: "nobody-has-it" }))).toEqual([]);
  expect(rulesOf(live({ [defaultDialect.search]: "true" }, bySubPath))).toEqual([]);
  expect(rulesOf(live({ [Secret.named]: "d.*" }, bySubPath))).toEqual([]);
});

test("a workload without a fault has no findings", () => {
  expect(rulesOf(live(auto))).toEqual([]);
  expect(rulesOf(live({ ...auto, "fleet-reloader.io/carried-k1": "{}" }))).toEqual([]);
});
