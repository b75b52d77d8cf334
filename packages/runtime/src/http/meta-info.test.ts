import { expect, test } from "vitest";
import { notifyFields } from "../config/fields/notify-fields.ts";
import { connectionFields, ruleFields, workerFields } from "../config/fields.ts";
import { version } from "../process/version.ts";
import { metaInfoOf } from "./meta-info.ts";

const shape = { ...connectionFields, ...ruleFields, ...workerFields, ...notifyFields };
const deployment = { name: "reloader", namespace: "tools" };
const parsed = (args: readonly string[], env = {}): Record<string, Record<string, unknown>> => {
  const content = metaInfoOf(shape, { args, env }, deployment);
  return Object.fromEntries(Object.entries(content).map(([key, text]) => [key, JSON.parse(text)]));
};

test("what the peer's tools read is under the peer's names", () => {
  const args = ["--auto-reload-all", "--auto-annotation=example.com/auto", "--reload-strategy=env-vars"];
  const { buildInfo, reloaderOptions, deploymentInfo } = parsed(args);
  expect(buildInfo).toMatchObject({ releaseVersion: version, edition: "oss" });
  expect(Number.isNaN(Date.parse(String(buildInfo?.commitTime)))).toBe(false);
  expect(deploymentInfo).toMatchObject(deployment);
  expect(reloaderOptions).toMatchObject({
    autoReloadAll: true,
    reloaderAutoAnnotation: "example.com/auto",
    configmapUpdateOnChangeAnnotation: "configmap.reloader.stakater.com/reload",
    autoSearchAnnotation: "reloader.stakater.com/search",
    reloadStrategy: "env-vars",
    logLevel: "info",
    enableHA: false,
    listenAddress: "127.0.0.1:9090",
  });
});

// Go reads nothing of the JSON when one field has another type. Source: ReloaderOptions in the peer's pkg/common/common.go; webhookUrl is a
// secret here.
const peerTypes = {
  boolean:
    "autoReloadAll isArgoRollouts reloadOnCreate reloadOnDelete syncAfterRestart enableHA enableCSIIntegration enablePProf",
  string:
    "configmapUpdateOnChangeAnnotation secretUpdateOnChangeAnnotation secretProviderClassUpdateOnChangeAnnotation reloaderAutoAnnotation ignoreResourceAnnotation configmapReloaderAutoAnnotation secretReloaderAutoAnnotation secretProviderClassReloaderAutoAnnotation configmapExcludeReloaderAnnotation secretExcludeReloaderAnnotation secretProviderClassExcludeReloaderAnnotation autoSearchAnnotation searchMatchAnnotation rolloutStrategyAnnotation pauseDeploymentAnnotation pauseDeploymentTimeAnnotation logFormat logLevel reloadStrategy pprofAddr",
  list: "resourcesToIgnore workloadTypesToIgnore namespaceSelectors resourceSelectors namespacesToIgnore",
};

test("every option of the peer has the peer's type, given or not", () => {
  const given = [
    "--resources-to-ignore=secrets",
    "--ignored-workload-types=jobs",
    "--namespace-selector=a=b",
    "--resource-label-selector=c",
    "--namespaces-to-ignore=kube-system",
    "--log-format=json",
    "--pprof-addr=:1",
  ];
  for (const args of [[], given]) {
    const { reloaderOptions = {} } = parsed(args);
    for (const [type, names] of Object.entries(peerTypes))
      for (const name of names.split(" ")) {
        const value = reloaderOptions[name];
        expect([name, Array.isArray(value) ? "list" : typeof value]).toEqual([name, type]);
      }
  }
});

test("a list holds its items as they were given", () => {
  const args = [
    "--resources-to-ignore=secrets",
    "--ignored-workload-types=jobs, cronjobs",
    '--namespace-selector="tier in (a,b)",team:nova',
    "--resource-label-selector=reload=*",
    "--workload-kinds=serving.knative.dev/v1/Service=spec.template",
  ];
  expect(parsed(args).reloaderOptions).toMatchObject({
    resourcesToIgnore: ["secrets"],
    workloadTypesToIgnore: ["jobs", "cronjobs"],
    namespaceSelectors: ["tier in (a,b)", "team:nova"],
    resourceSelectors: ["reload=*"],
    workloadKinds: ["serving.knative.dev/v1/Service=spec.template"],
  });
});

// Everybody who may read the namespace may read a ConfigMap.
test("no secret is in it", () => {
  const args = ["--redis-url=redis://:hunter2@redis:6379", "--notify-webhook-url=https://hunter2.example/x"];
  const env = {
    ALERT_WEBHOOK_URL: "https://hooks.example/hunter2",
    ALERT_WEBHOOK_PROXY: "http://u:hunter2@proxy:1",
  };
  const content = metaInfoOf(shape, { args, env }, deployment);
  expect(JSON.stringify(content)).not.toContain("hunter2");
});
