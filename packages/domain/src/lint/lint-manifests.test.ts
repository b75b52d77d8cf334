import { describe, expect, test } from "vitest";
import { defaultDialect } from "../annotation/dialect.ts";
import { catalystApi } from "../fixture/catalyst-api.ts";
import { compileForTest } from "../fixture/compile-pattern.ts";
import { givenSources, lintCases } from "../fixture/lint-cases.ts";
import { deploymentWith, manifestsOf, sourceWith } from "../fixture/linted-manifests.ts";
import { lintMessage } from "./finding.ts";
import { lintManifests } from "./lint-manifests.ts";

const { ConfigMap, Secret } = defaultDialect.kinds;

function lint(...objects: readonly unknown[]) {
  const settings = { dialect: defaultDialect, autoReloadAll: false, compile: compileForTest };
  return lintManifests(manifestsOf(...objects), settings);
}

const rulesOf = (...objects: readonly unknown[]) => lint(...objects).map(({ rule }) => rule);
const messageOf = (...objects: readonly unknown[]) =>
  lint(...objects)
    .map(lintMessage)
    .join("\n");

describe.each(Object.entries(lintCases))("%s", (rule, { bad, good }) => {
  test.each(bad.map((objects) => [objects] as const))("is found %#", (objects) => {
    expect(rulesOf(...objects)).toContain(rule);
  });

  test.each(good.map((objects) => [objects] as const))("is not found %#", (objects) => {
    expect(rulesOf(...objects)).not.toContain(rule);
  });
});

test("a Secret that is named by its volume is told by its own name", () => {
  expect(messageOf(catalystApi)).toContain(
    'secret.reloader.stakater.com/reload: "handover-jwt-public" names the Secret handover-jwt-public, which no given file has and which the pod template does not use; write catalyst-handover-jwt-public',
  );
});

const [patched] = manifestsOf({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "api" },
  spec: { replicas: 3 },
});
const [referring] = manifestsOf({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Rollout",
  metadata: { name: "api" },
  spec: { workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name: "api" } },
});

test.each([
  ["a kustomize patch", patched],
  ["a Rollout that refers to a Deployment", referring],
])("of %s nothing is said that depends on its pods", (_, manifest) => {
  const annotations = { [defaultDialect.auto]: "true", [ConfigMap.named]: "setings,feature-.*" };
  const metadata = { name: "api", annotations };
  expect(lint(Object.assign({}, manifest?.object, { metadata }))).toEqual([]);
});

test("the name that kustomize makes of a content is not what to write", () => {
  const named = deploymentWith({ [ConfigMap.named]: "gateway" });
  const message = messageOf(named, sourceWith("ConfigMap", "gateway-5f7hkt9b2t"));
  expect(message).toContain("gateway-5f7hkt9b2t gets another name from kustomize");
  expect(message).not.toContain("write gateway-5f7hkt9b2t");
});

test("a name of the other kind is told the annotation it belongs to", () => {
  expect(messageOf(deploymentWith({ [Secret.named]: "settings" }))).toContain(ConfigMap.named);
});

test("a workload without annotations is none of ours", () => {
  expect(lint(deploymentWith({}), ...givenSources)).toEqual([]);
});

test("a place is that of the annotation, on the workload or on its pod template", () => {
  const [onWorkload] = lint(deploymentWith({ [ConfigMap.named]: "setings" }));
  const [onTemplate] = lint(deploymentWith({}, { templateAnnotations: { [ConfigMap.named]: "setings" } }));
  expect([onWorkload?.position.column, onTemplate?.position.column]).toEqual([4, 6]);
});

test("five thousand wrong names among five thousand are told in few findings", () => {
  const names = Array.from({ length: 5000 }, (_, index) => `wrong-name-${index}`).join(",");
  const given = Array.from({ length: 5000 }, (_, index) => sourceWith("ConfigMap", `right-thing-${index}`));
  expect(lint(deploymentWith({ [ConfigMap.named]: names }), ...given)).toHaveLength(20);
});
