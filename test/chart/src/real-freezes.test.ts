import { describe, expect, test } from "vitest";
import { rendered } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";
import { containerOf } from "./rendered-container.ts";

const variable = "FLEET_RELOADER_FREEZE_CONFIGMAP";

function envOf(objects: readonly Manifest[]): readonly unknown[] {
  const env = at(containerOf(objects), "env");
  return Array.isArray(env) ? env : [];
}

/** The last of several variables of one name is the one that the process gets. */
function placeOf(objects: readonly Manifest[]): unknown {
  return at(
    envOf(objects).findLast((each) => at(each, "name") === variable),
    "value",
  );
}

function rulesAbout(objects: readonly Manifest[], name: string): readonly string[] {
  return objects
    .filter(({ kind, metadata }) => /^(Cluster)?Role$/.test(kind) && /freezes$/.test(metadata.name))
    .flatMap(({ kind, metadata, rules }) => {
      const where = `${kind} in ${metadata.namespace ?? "all namespaces"}`;
      return (Array.isArray(rules) ? rules : []).map((rule) => {
        const about = String(at(rule, "resourceNames") ?? "any");
        return `${where}: ${String(at(rule, "verbs"))} ${about === name ? "the document" : about}`;
      });
    });
}

const granted = [
  "Role in tools: get the document",
  "Role in tools: create any",
  "Role in tools: patch the document",
];

/** A file in an emptyDir ends with its pod, and of several pods only one reads it. */
describe("freezes of standalone outlive the pod and hold in every pod", () => {
  test.each([
    ["one pod", {}],
    ["one pod of one namespace", { reloader: { watchGlobally: false } }],
    ["one pod that ignores ConfigMaps", { reloader: { ignoreConfigMaps: true } }],
    [
      "two pods on one Redis",
      { reloader: { deployment: { replicas: 2 } }, fleetReloader: { redis: { url: "redis://redis" } } },
    ],
    ["one pod with a claim", { fleetReloader: { persistence: { enabled: true } } }],
  ])("%s", async (_, values) => {
    const objects = await rendered({ values });
    expect(placeOf(objects)).toBe("$(POD_NAMESPACE)/reloader-reloader-freezes");
    // A variable is expanded by those before it.
    const names = envOf(objects).map((each) => at(each, "name"));
    expect(names.indexOf("POD_NAMESPACE")).toBeLessThan(names.indexOf(variable));
    expect(names).toContain("POD_NAMESPACE");
    expect(rulesAbout(objects, "reloader-reloader-freezes")).toEqual(granted);
    for (const name of ["reloader-reloader-freezes", "reloader-reloader-writes-freezes"])
      expect(at(the(objects, "RoleBinding", name), "subjects")).toEqual([
        { kind: "ServiceAccount", name: "reloader-reloader", namespace: "tools" },
      ]);
  });

  test("a ConfigMap that the values name takes the place of the default", async () => {
    const objects = await rendered({ values: { fleetReloader: { brakes: { freezeConfigMap: "ours" } } } });
    expect(placeOf(objects)).toBe("$(POD_NAMESPACE)/ours");
    expect(rulesAbout(objects, "ours")).toEqual(granted);
  });
});

/** A document that may not be read freezes everything: none is named where the rights are not the chart's. */
test.each([
  ["a flag names a ConfigMap", { fleetReloader: { args: ["--freeze-configmap=ops/stop"] } }],
  ["two words name a ConfigMap", { fleetReloader: { args: ["--freeze-configmap", "ops/stop"] } }],
  [
    "a variable names a ConfigMap",
    { reloader: { deployment: { env: { open: { [variable]: "ops/stop" } } } } },
  ],
  ["a flag names another cluster", { fleetReloader: { args: ["--kubeconfig=/more/kubeconfig"] } }],
  ["a variable names another cluster", { reloader: { deployment: { env: { open: { KUBECONFIG: "/k" } } } } }],
  ["the chart grants no rights", { reloader: { rbac: { enabled: false } } }],
])("no ConfigMap of the chart is read where %s", async (_, values) => {
  const objects = await rendered({ values });
  expect(JSON.stringify(objects)).not.toContain("reloader-reloader-freezes");
  expect([undefined, "ops/stop"]).toContain(placeOf(objects));
});
