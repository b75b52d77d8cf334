import { expect, test } from "vitest";
import { notifyFields } from "../config/fields/notify-fields.ts";
import { connectionFields, ruleFields, workerFields } from "../config/fields.ts";
import { loadConfig } from "../config/load.ts";
import { version } from "../process/version.ts";
import { metaInfoOf } from "./meta-info.ts";

const shape = { ...connectionFields, ...ruleFields, ...workerFields, ...notifyFields };
const deployment = { name: "reloader", namespace: "tools" };
const parsed = (args: readonly string[], env = {}): Record<string, Record<string, unknown>> => {
  const content = metaInfoOf(shape, loadConfig(shape, { args, env }), deployment);
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

// A ConfigMap may be read by whoever may read the namespace.
test("no secret is in it", () => {
  const args = ["--redis-url=redis://:hunter2@redis:6379", "--notify-webhook-url=https://hunter2.example/x"];
  const env = {
    ALERT_WEBHOOK_URL: "https://hooks.example/hunter2",
    ALERT_WEBHOOK_PROXY: "http://u:hunter2@proxy:1",
  };
  const content = metaInfoOf(shape, loadConfig(shape, { args, env }), deployment);
  expect(JSON.stringify(content)).not.toContain("hunter2");
});
