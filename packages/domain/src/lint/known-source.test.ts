import { expect, test } from "vitest";
import { defaultDialect } from "../annotation/dialect.ts";
import { compileForTest } from "../fixture/compile-pattern.ts";
import { deploymentWith, manifestsOf, sourceWith } from "../fixture/linted-manifests.ts";
import type { JsonObject } from "../json.ts";
import { lintManifests } from "./lint-manifests.ts";

const annotations = { [defaultDialect.match]: "true" };
const template = { metadata: { annotations } };
const searching = deploymentWith({ [defaultDialect.search]: "true" });

function making(apiVersion: string, kind: string, more: JsonObject, own: JsonObject = {}) {
  const metadata = { name: "api-credentials", namespace: "team", annotations: own };
  return Object.assign({ apiVersion, kind, metadata }, more);
}

function isUnmatched(maker: unknown, ...others: readonly unknown[]): boolean {
  const settings = { dialect: defaultDialect, autoReloadAll: false, compile: compileForTest };
  const findings = lintManifests(manifestsOf(searching, maker, ...others), settings);
  return findings.some(({ rule }) => rule === "search-without-match");
}

const externalSecret = ["external-secrets.io/v1", "ExternalSecret"] as const;
const kustomization = ["kustomize.config.k8s.io/v1beta1", "Kustomization"] as const;
const secretGenerator = [{ name: "api-credentials", options: { annotations } }];
const secretObjects = [{ secretName: "api-credentials", annotations }];

test.each([
  making("bitnami.com/v1alpha1", "SealedSecret", { spec: { template } }),
  making("cert-manager.io/v1", "Certificate", {
    spec: { secretName: "api-credentials", secretTemplate: { annotations } },
  }),
  making(...externalSecret, { spec: { target: { template } } }),
  // Without a template the ExternalSecret copies its own annotations.
  making(...externalSecret, { spec: {} }, annotations),
  making("secrets-store.csi.x-k8s.io/v1", "SecretProviderClass", { spec: { secretObjects } }),
  making(...kustomization, { secretGenerator }),
  making(...kustomization, {
    secretGenerator: [{ name: "api-credentials" }],
    generatorOptions: { annotations },
  }),
])("the annotations of a Secret that another object makes count %#", (maker) => {
  expect(isUnmatched(maker, sourceWith("ConfigMap", "settings"))).toBe(false);
});

test.each([
  making("bitnami.com/v1alpha1", "SealedSecret", { spec: {} }, annotations),
  making(...externalSecret, { spec: { target: { template: {} } } }, annotations),
])("annotations that the maker keeps to itself do not count %#", (maker) => {
  expect(isUnmatched(maker, sourceWith("ConfigMap", "settings"))).toBe(true);
});
