import { describe, expect, test } from "vitest";
import { defaultDialect } from "../annotation/dialect.ts";
import { catalystApi } from "../fixture/catalyst-api.ts";
import { compileForTest } from "../fixture/compile-pattern.ts";
import { deploymentWith, manifestsOf, readingPods, sourceWith } from "../fixture/linted-manifests.ts";
import { lintMessage } from "./finding.ts";
import { lintManifests } from "./lint-manifests.ts";
import type { lintRules } from "./rules.ts";

const auto = defaultDialect.auto;
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
const sources = [sourceWith("ConfigMap", "settings"), sourceWith("Secret", "api-credentials")];
const pods = (container: object, volumes: readonly object[] = readingPods.volumes) => {
  return { podSpec: { containers: [Object.assign({ name: "api" }, container)], volumes } };
};
const optionalVariable = (key: string, optional: boolean) => {
  return { name: key, valueFrom: { configMapKeyRef: { name: "late", key: "k", optional } } };
};
const subPathMount = { volumeMounts: [{ name: "credentials", mountPath: "/c", subPath: "key" }] };

/** Objects that break one rule, and objects that almost do. */
const cases: Record<
  Exclude<keyof typeof lintRules, "template-unrendered">,
  { readonly bad: readonly (readonly unknown[])[]; readonly good: readonly (readonly unknown[])[] }
> = {
  "annotation-misplaced": {
    bad: [
      [sourceWith("ConfigMap", "settings", {}, { [auto]: "true" })],
      [deploymentWith({ [defaultDialect.ignore]: "true" })],
      [deploymentWith({}, { templateAnnotations: { [defaultDialect.pausePeriod]: "5m" } })],
      [deploymentWith({}, { templateAnnotations: { [ConfigMap.exclude]: "settings" } })],
      [deploymentWith({ [auto]: "true" }, { templateAnnotations: { [ConfigMap.named]: "settings" } })],
      [deploymentWith({ [auto]: "true", "reloader.stakater.com/rollout-strategy": "restart" })],
      [{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", annotations: { [auto]: "true" } } }],
    ],
    good: [
      [deploymentWith({}, { templateAnnotations: { [auto]: "true" } })],
      [deploymentWith({ [auto]: "true" }, { templateAnnotations: { [auto]: "true" } })],
      [deploymentWith({ [Secret.auto]: "true" }, { templateAnnotations: { [ConfigMap.named]: "settings" } })],
      [sourceWith("ConfigMap", "settings", {}, { [defaultDialect.match]: "true" })],
      [{ apiVersion: "v1", kind: "Service", metadata: { name: "s", annotations: { [auto]: "true" } } }],
    ],
  },
  "annotation-not-text": {
    bad: [[deploymentWith({ [auto]: true })], [deploymentWith({ "fleet-reloader.io/debounce": 5 })]],
    good: [[deploymentWith({ [auto]: "true", "example.com/count": 5 })]],
  },
  "annotation-unknown": {
    bad: [
      [deploymentWith({ "reloader.stakater.com/atuo": "true" })],
      [deploymentWith({ "configmaps.reloader.stakater.com/reload": "settings" })],
      [deploymentWith({ "fleet-reloader.io/quiet": "5s" })],
      [deploymentWith({ "reloader.staketer.com/auto": "true" })],
      [deploymentWith({}, { templateAnnotations: { "reloader.stakater.com/Auto": "true" } })],
    ],
    good: [
      [deploymentWith({ "deployment.kubernetes.io/revision": "4", "prometheus.io/scrape": "true" })],
      [deploymentWith({ "fleet-reloader.io/carried-ab12": "x", [auto]: "true" })],
      [deploymentWith({ [auto]: "true" }, { templateAnnotations: { "fleet-reloader.io/mark": "x" } })],
    ],
  },
  "annotation-unreadable": {
    bad: [
      [deploymentWith({ [auto]: "yes" })],
      [deploymentWith({ [auto]: " true" })],
      [deploymentWith({ [defaultDialect.search]: "True", [auto]: "true" })],
      [deploymentWith({ [ConfigMap.named]: "sett-*" })],
      [deploymentWith({ [ConfigMap.named]: "settings,(" })],
      [deploymentWith({ [auto]: "true", [ConfigMap.exclude]: "sett.*|x" })],
      [deploymentWith({ [auto]: "true", "fleet-reloader.io/debounce": "soon" })],
      [deploymentWith({ [auto]: "true", "fleet-reloader.io/strategy": "env" })],
      [deploymentWith({ [auto]: "true", [defaultDialect.pausePeriod]: "5" })],
      [sourceWith("ConfigMap", "settings", {}, { [defaultDialect.ignore]: "True" })],
    ],
    good: [
      [deploymentWith({ [auto]: "T" })],
      [deploymentWith({ [auto]: "true", [ConfigMap.exclude]: "other" })],
      [deploymentWith({ [auto]: "true", "fleet-reloader.io/debounce": "1m30s" })],
    ],
  },
  "list-separator": {
    bad: [
      [deploymentWith({ [ConfigMap.named]: "settings other" })],
      [deploymentWith({ [ConfigMap.named]: "settings;other" })],
    ],
    good: [[deploymentWith({ [ConfigMap.named]: "settings" })]],
  },
  "list-untrimmed": {
    bad: [
      [deploymentWith({ [ConfigMap.named]: " settings" })],
      [deploymentWith({ [ConfigMap.named]: "settings," })],
      [deploymentWith({ [auto]: "true", [Secret.exclude]: "a, b" })],
    ],
    good: [[deploymentWith({ [auto]: "true", [Secret.exclude]: "a,b" })]],
  },
  "mount-by-subpath": {
    bad: [
      [
        deploymentWith(
          { [ConfigMap.named]: "settings" },
          pods(Object.assign({ envFrom: readingPods.containers[0]?.envFrom }, subPathMount)),
        ),
      ],
    ],
    good: [
      [deploymentWith({}, pods(subPathMount))],
      [deploymentWith({ [auto]: "true" }, pods(subPathMount))],
      [deploymentWith({ [Secret.named]: "api-credentials" }, pods(subPathMount))],
    ],
  },
  "nothing-to-reload": {
    bad: [
      [deploymentWith({ [auto]: "true" }, pods({}, []))],
      [deploymentWith({ [defaultDialect.search]: "true" }, pods({}, []))],
      [deploymentWith({ [ConfigMap.auto]: "true" }, pods({}))],
    ],
    good: [
      [deploymentWith({ [auto]: "true" })],
      [deploymentWith({ [auto]: "false" }, pods({}, []))],
      [deploymentWith({ [Secret.auto]: "true" }, pods({}))],
    ],
  },
  "optional-not-covered": {
    bad: [
      [deploymentWith({ [Secret.named]: "api-credentials" }, pods({ env: [optionalVariable("A", true)] }))],
    ],
    good: [
      [deploymentWith({ [auto]: "true" }, pods({ env: [optionalVariable("A", true)] }))],
      [deploymentWith({}, pods({ env: [optionalVariable("A", true)] }))],
      [
        deploymentWith({ [Secret.named]: "api-credentials" }, pods({ env: [optionalVariable("A", true)] })),
        sourceWith("ConfigMap", "late"),
      ],
    ],
  },
  "optional-without-effect": {
    bad: [
      [
        deploymentWith(
          { [auto]: "true" },
          pods({ env: [optionalVariable("A", true), optionalVariable("B", false)] }),
        ),
      ],
    ],
    good: [
      [
        deploymentWith(
          { [auto]: "true" },
          pods({ env: [optionalVariable("A", true), optionalVariable("B", true)] }),
        ),
      ],
      [
        deploymentWith(
          { [auto]: "true" },
          pods({ env: [optionalVariable("A", true)], envFrom: [{ configMapRef: { name: "late" } }] }),
        ),
      ],
    ],
  },
  "pattern-anchors": {
    bad: [[deploymentWith({ [ConfigMap.named]: "settings|other" })]],
    good: [
      [deploymentWith({ [ConfigMap.named]: "(settings|other)" })],
      [deploymentWith({ [ConfigMap.named]: "setting[|s]" })],
    ],
  },
  "pattern-matches-nothing": {
    bad: [[deploymentWith({ [ConfigMap.named]: "feature-.*" })]],
    good: [
      [deploymentWith({ [ConfigMap.named]: "sett.*" })],
      [deploymentWith({ [ConfigMap.named]: "feature-.*" }), sourceWith("ConfigMap", "feature-a")],
    ],
  },
  "peer-differs": {
    bad: [
      [deploymentWith({ [auto]: "true" }, pods({}))],
      [
        Object.assign(deploymentWith({ [auto]: "true" }), {
          apiVersion: "apps.openshift.io/v1",
          kind: "DeploymentConfig",
        }),
      ],
    ],
    good: [[deploymentWith({ [auto]: "true" })]],
  },
  "search-without-match": {
    bad: [[deploymentWith({ [defaultDialect.search]: "true" }), ...sources]],
    good: [
      [deploymentWith({ [defaultDialect.search]: "true" }), sources[0]],
      [
        deploymentWith({ [defaultDialect.search]: "true" }),
        sourceWith("ConfigMap", "settings", {}, { [defaultDialect.match]: "true" }),
        sources[1],
      ],
    ],
  },
  "source-ignored": {
    bad: [
      [deploymentWith({ [ConfigMap.named]: "settings", [ConfigMap.exclude]: "settings" })],
      [
        deploymentWith({ [ConfigMap.named]: "settings" }),
        sourceWith("ConfigMap", "settings", {}, { [defaultDialect.ignore]: "true" }),
      ],
    ],
    good: [
      [deploymentWith({ [ConfigMap.named]: "settings", [Secret.exclude]: "settings" })],
      [
        deploymentWith({ [auto]: "true" }),
        sourceWith("ConfigMap", "settings", {}, { [defaultDialect.ignore]: "true" }),
      ],
    ],
  },
  "source-missing": {
    bad: [
      [deploymentWith({ [ConfigMap.named]: "elsewhere-entirely" })],
      [
        deploymentWith({ [ConfigMap.named]: "elsewhere-entirely" }),
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "elsewhere-entirely", namespace: "other" } },
      ],
    ],
    good: [
      [deploymentWith({ [ConfigMap.named]: "settings" })],
      [
        deploymentWith({ [Secret.named]: "api-credentials,tls" }),
        {
          apiVersion: "cert-manager.io/v1",
          kind: "Certificate",
          metadata: { name: "c" },
          spec: { secretName: "tls" },
        },
      ],
    ],
  },
  "source-never-changes": {
    bad: [
      [
        deploymentWith({ [ConfigMap.named]: "settings" }),
        sourceWith("ConfigMap", "settings", { immutable: true }),
      ],
    ],
    good: [[deploymentWith({ [auto]: "true" }), sourceWith("ConfigMap", "settings", { immutable: true })]],
  },
  "source-unused": {
    bad: [[deploymentWith({ [ConfigMap.named]: "read-by-api" }), sourceWith("ConfigMap", "read-by-api")]],
    good: [[deploymentWith({ [ConfigMap.named]: "settings" }), ...sources]],
  },
  "source-wrong-name": {
    bad: [
      [deploymentWith({ [ConfigMap.named]: "setings" })],
      [deploymentWith({ [Secret.named]: "credentials" })],
      [deploymentWith({ [Secret.named]: "settings" })],
      [deploymentWith({ [ConfigMap.named]: "set.ings" })],
      [deploymentWith({ [ConfigMap.named]: "feature-flag" }), sourceWith("ConfigMap", "feature-flags")],
      [catalystApi],
    ],
    good: [[deploymentWith({ [ConfigMap.named]: "settings", [Secret.named]: "api-credentials" })]],
  },
};

describe.each(Object.entries(cases))("%s", (rule, { bad, good }) => {
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

test("a name of the other kind is told the annotation it belongs to", () => {
  expect(messageOf(deploymentWith({ [Secret.named]: "settings" }))).toContain(ConfigMap.named);
});

test("a workload without annotations is none of ours", () => {
  expect(lint(deploymentWith({}), ...sources)).toEqual([]);
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
