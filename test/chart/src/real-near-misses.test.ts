import { expect, test } from "vitest";
import { chart, refusal, template } from "./helm.ts";
import { ensureTool } from "./tools/go-tool.ts";
import { run } from "./tools/run.ts";

// One letter of this grants every Secret of the cluster, and nobody would see it.
test.each([
  [{ reloader: { watchGlobaly: false } }, "reloader.watchGlobaly", "reloader.watchGlobally"],
  [{ reloader: { watchglobally: false } }, "reloader.watchglobally", "reloader.watchGlobally"],
  [{ reloader: { "watch-globally": false } }, "reloader.watch-globally", "reloader.watchGlobally"],
  [{ reloader: { ignoreSecret: true } }, "reloader.ignoreSecret", "reloader.ignoreSecrets"],
  [{ reloader: { namespace: "a" } }, "reloader.namespace", "reloader.namespaces"],
  [{ reloader: { rbac: { enable: false } } }, "reloader.rbac.enable", "reloader.rbac.enabled"],
  [
    { reloader: { deployment: { resource: {} } } },
    "reloader.deployment.resource",
    "reloader.deployment.resources",
  ],
  [
    { reloader: { custom_annotations: { configMap: "a/b" } } },
    "reloader.custom_annotations.configMap",
    "reloader.custom_annotations.configmap",
  ],
  [
    { reloader: { deployment: { livenessProbe: { timeoutSecond: 9 } } } },
    "reloader.deployment.livenessProbe.timeoutSecond",
    "reloader.deployment.livenessProbe.timeoutSeconds",
  ],
  [{ image: { tags: "1" } }, "image.tags", "image.tag"],
  [{ reloder: {} }, "reloder", "reloader"],
  // One section too high.
  [{ watchGlobally: false }, "watchGlobally", "reloader.watchGlobally"],
  [{ namespaces: ["team-a"] }, "namespaces", "reloader.namespaces"],
  [{ rbac: { enabled: false } }, "rbac", "reloader.rbac"],
  [{ reloader: { resources: {} } }, "reloader.resources", "reloader.deployment.resources"],
  [{ reloader: { annotations: {} } }, "reloader.annotations", "reloader.deployment.annotations"],
  [{ resources: {} }, "resources", "reloader.deployment.resources"],
  [{ tag: "1" }, "tag", "image.tag"],
  [{ mode: "hub" }, "mode", "fleetReloader.mode"],
  [
    { reloader: { interval: "30s" } },
    "reloader.interval",
    "reloader.podMonitor.interval or reloader.serviceMonitor.interval",
  ],
  [{ reloader: { deployment: { open: {} } } }, "reloader.deployment.open", "reloader.deployment.env.open"],
  [
    { reloader: { deployment: { env: { ALERT_SINK: "slack" } } } },
    "reloader.deployment.env.ALERT_SINK",
    "reloader.deployment.env.open.ALERT_SINK",
  ],
  // In the section beside.
  [{ reloader: { debounce: "5s" } }, "reloader.debounce", "fleetReloader.debounce"],
  [{ fleetreloader: { debounce: "5s" } }, "fleetreloader", "fleetReloader"],
])("%j is refused with the key that was probably meant", async (values, key, meant) => {
  expect(await refusal(values)).toContain(
    `${key}: no such value; did you mean ${meant}? Correct or remove it`,
  );
});

test("all of them are told at once", async () => {
  const message = await refusal({ reloader: { watchGlobaly: false, logLevl: "debug" } });
  expect(message).toContain("did you mean reloader.watchGlobally?");
  expect(message).toContain("did you mean reloader.logLevel?");
});

test("in our own section any other key is refused, and those that there are are named", async () => {
  const message = await refusal({ fleetReloader: { hub: { kedda: {} } } });
  for (const text of ["/fleetReloader/hub", "kedda", "'keda'"]) expect(message).toContain(text);
  // Where the schema is not asked the templates still are.
  const args = [
    "template",
    "reloader",
    chart,
    "--skip-schema-validation",
    "--set",
    "fleetReloader.debounse=2s,image.repository=fleet-reloader",
  ];
  const { code, errors } = await run(await ensureTool("helm"), args);
  expect(code).not.toBe(0);
  expect(errors).toContain("fleetReloader.debounse: no such value; did you mean fleetReloader.debounce?");
});

// Two letters from enableHA, and no typo: people think that a value turns the release off.
test("reloader.enabled: false is told that it turns nothing off, true is let through", async () => {
  for (const enabled of [false, "false"]) {
    const message = await refusal({ reloader: { enabled } });
    expect(message).toContain("reloader.enabled is false, but no value turns the release off");
    expect(message).not.toContain("did you mean");
  }
  expect((await template({ values: { reloader: { enabled: true } } })).code).toBe(0);
  expect(await refusal({ reloader: { enableHa: true } })).toContain("did you mean reloader.enableHA?");
});

// An umbrella chart has keys of its own beside and in `global`, and other versions of the peer's chart have others.
test.each([
  { reloader: { leaderElection: { leaseDuration: "15s" }, deployment: { image: { name: "x" }, port: 1 } } },
  { global: { imageRegistrys: "x" }, enabled: true, tags: {} },
  { reloader: { deployment: { env: { open: { namespace: "x", tag: "y" } } }, matchLabels: { app2: "x" } } },
  // What versions of the peer's chart before 2.2.16 have at such places.
  {
    reloader: { labels: { version: "v0" }, replicas: 1, volumes: [], volumeMounts: [], image: { tag: "x" } },
  },
  { reloader: { configFilePath: "x", controllers: {}, watchConfigMaps: true, watchSecrets: true } },
  {
    reloader: {
      custom_annotations: { auto_search: "a/b", search_match: "a/c" },
      deployment: { image: { base: { tag: "x" }, digest: "y", pullPolicy: "Always" } },
    },
  },
])("%j is let through", async (values) => {
  const { code, errors } = await template({ values });
  expect({ code, errors }).toMatchObject({ code: 0 });
});
