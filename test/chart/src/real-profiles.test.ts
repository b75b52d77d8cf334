import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal, rendered, root } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";

const hub = { mode: "hub", redis: { url: "redis://redis" }, hub: { dashboard: { enabled: true } } };
const services = ["watcher", "worker", "dashboard"].map((service) => `reloader-reloader-${service}`);

function flagsOf(objects: readonly Manifest[], name: string): readonly string[] {
  const args = at(the(objects, "Deployment", name), "spec", "template", "spec", "containers", 0, "args");
  return (Array.isArray(args) ? args : []).map(String).filter((arg) => arg.startsWith("--cluster-profiles"));
}

const granted = [
  { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["multicluster.x-k8s.io"], resources: ["clusterprofiles"], verbs: ["list", "watch"] },
];
const name = "reloader-reloader-registration";

test.each([
  ["inventory", "--cluster-profiles=inventory", "Role", "inventory"],
  ["*", "--cluster-profiles=true", "ClusterRole", undefined],
])(
  "a hub finds the ClusterProfiles of %s with the rights of the chart",
  async (profiles, flag, kind, place) => {
    const objects = await rendered({ values: { fleetReloader: { ...hub, clusters: { profiles } } } });
    for (const service of services) expect(flagsOf(objects, service)).toEqual([flag]);
    const role = the(objects, kind, name);
    expect([role.metadata.namespace, role.rules]).toEqual([place, granted]);
    const subjects = JSON.stringify(the(objects, `${kind}Binding`, name).subjects);
    for (const service of services) expect(subjects).toContain(`"name":"${service}"`);
  },
);

test("the rights are those that the page on clusters names", () => {
  const page = readFileSync(join(root, "docs/clusters.md"), "utf8");
  expect(page).toContain("`--cluster-profiles` | `secrets` | get, list, watch |");
  expect(page).toContain("| `clusterprofiles.multicluster.x-k8s.io` | list, watch |");
});

test("profiles, Secrets and an Argo CD in one namespace need one Role", async () => {
  const clusters = { profiles: "fleet", secrets: ["flux=fleet"], argocdNamespace: "fleet" };
  const objects = await rendered({ values: { fleetReloader: { ...hub, clusters } } });
  expect(objects.filter(({ kind, metadata }) => kind === "Role" && metadata.name === name)).toHaveLength(1);
  expect(the(objects, "Role", name).rules).toEqual(granted);
});

test("what is no namespace is refused before it is installed", async () => {
  expect(await refusal({ fleetReloader: { clusters: { profiles: "Fleet_1" } } })).toContain(
    "/fleetReloader/clusters/profiles",
  );
});
