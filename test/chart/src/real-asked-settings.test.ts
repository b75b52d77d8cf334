import { readFileSync } from "node:fs";
import { join } from "node:path";
import { explainConfig } from "@fleet-reloader/cli/ask/ask-config";
import { besideService } from "@fleet-reloader/cli/frame/beside-service";
import { dashboardConfig } from "@fleet-reloader/dashboard-service/config";
import type { ConfigShape } from "@fleet-reloader/runtime/config/field";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { settingsOf } from "@fleet-reloader/runtime/config/settings-of";
import { standaloneConfig } from "@fleet-reloader/standalone/config";
import { watcherConfig } from "@fleet-reloader/watcher/config";
import { workerConfig } from "@fleet-reloader/worker/config";
import { describe, expect, test } from "vitest";
import { readImageSettings } from "../../../infra/docker/image-settings.ts";
import { type Rendering, rendered, root } from "./helm.ts";
import { at } from "./manifest.ts";
import { matrix } from "./matrix.ts";

const image = readImageSettings(readFileSync(join(root, "infra/docker/Dockerfile"), "utf8"));
const services: Readonly<Record<string, ConfigShape>> = {
  watcher: watcherConfig,
  worker: workerConfig,
  dashboard: dashboardConfig,
};

/** A container as the kubelet starts it. */
interface Started {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The containers of all Deployments that run the image. */
async function startedBy(rendering: Rendering): Promise<readonly Started[]> {
  const deployments = (await rendered(rendering)).filter(({ kind }) => kind === "Deployment");
  return deployments.map((deployment) => {
    const container = at(deployment, "spec", "template", "spec", "containers", 0);
    const given = texts(at(container, "command"));
    return {
      command: given.length === 0 ? image.entrypoint : given,
      args: texts(at(container, "args")),
      env: Object.assign({}, image.env, envOf(at(container, "env"))),
    };
  });
}

/** What comes from elsewhere is `tools`, the namespace of the release, or an address. */
function envOf(env: unknown): Readonly<Record<string, string>> {
  const given = Array.isArray(env) ? env : [];
  return Object.fromEntries(
    given.map((each) => {
      const name = String(at(each, "name"));
      const address = name.endsWith("_REDIS_URL") ? "redis://redis" : "https://tools";
      const other = /_(URL|PROXY)$/.test(name) ? address : "tools";
      return [name, String(at(each, "value") ?? other).replaceAll(/\$\(\w+\)/g, "tools")];
    }),
  );
}

/** By variable: both spell the flags of some otherwise. */
function valuesByVariable(shape: ConfigShape, args: readonly string[], env: Started["env"]) {
  const values = Object.entries(loadConfig(shape, { args, env }));
  return new Map(values.map(([field, value]) => [shape[field]?.meta.env, value]));
}

function expectOneConfiguration({ args: [first = "", ...more], command, env }: Started): void {
  const shape = services[first] ?? standaloneConfig;
  const args = shape === standaloneConfig ? [first, ...more] : more;
  const served = valuesByVariable(shape, args, env);
  const beside = Object(besideService(env, [...command, first, ...more]));
  const asked = [...valuesByVariable(explainConfig, [], beside)].filter(([name]) => served.has(name));
  expect(asked.length).toBeGreaterThan(40);
  // As JSON: some values have functions.
  for (const [name, value] of asked)
    expect([name, JSON.stringify(value)]).toEqual([name, JSON.stringify(served.get(name))]);
}

describe("a question in a pod of the chart is answered by the settings of the service there", () => {
  const names = { auto: "my.company/auto", secret: "my.company/secret", ignore: "my.company/ignore" };
  test.each([
    ["all workloads", { reloader: { autoReloadAll: true } }],
    ["other names of annotations", { reloader: { custom_annotations: names } }],
    ["its own namespace", { reloader: { watchGlobally: false } }],
    [
      "flags of two words",
      { fleetReloader: { args: ["--namespace", "shop", "--budget-fleet", "rate=1/h"] } },
    ],
  ])("%s", async (_, values) => {
    for (const started of await startedBy({ values })) expectOneConfiguration(started);
  });

  // With the large numbers no service starts.
  test.each(Object.keys(matrix).filter((name) => name !== "large numbers"))("%s", async (name) => {
    for (const started of await startedBy(matrix[name] ?? {})) expectOneConfiguration(started);
  });

  test("with autoReloadAll and custom annotations explain decides by them", async () => {
    const values = { reloader: { autoReloadAll: true, custom_annotations: names } };
    const [{ args, command, env } = { args: [], command: [], env: {} }] = await startedBy({ values });
    const beside = Object(besideService(env, [...command, ...args]));
    const settings = settingsOf(loadConfig(explainConfig, { args: [], env: beside }));
    expect(settings).toMatchObject({
      autoReloadAll: true,
      dialect: { auto: names.auto, ignore: names.ignore },
    });
  });
});
