import { expect, test } from "vitest";
import { rendered } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";

/** The names by which a process may be asked; IP addresses, by which kubelets and monitors ask, are always good. */
function hostsOf(objects: readonly Manifest[], name: string): readonly string[] {
  const args = at(the(objects, "Deployment", name), "spec", "template", "spec", "containers", 0, "args");
  const said = (Array.isArray(args) ? args.map(String) : []).filter((arg) =>
    arg.startsWith("--allowed-hosts="),
  );
  return said.flatMap((arg) => arg.slice(arg.indexOf("=") + 1).split(","));
}

const forms = (service: string) =>
  ["", ".tools", ".tools.svc", ".tools.svc.cluster.local"].map((suffix) => `${service}${suffix}`);

test("a watcher answers by the name that KEDA asks it by", async () => {
  const objects = await rendered(matrix["a hub with KEDA and a Valkey"] ?? {});
  const asked = String(at(the(objects, "ScaledObject"), "spec", "triggers", 0, "metadata", "url"));
  const hosts = hostsOf(objects, "reloader-reloader-watcher");
  expect(hosts).toContain(new URL(asked).hostname);
  expect(hosts).toEqual(expect.arrayContaining(forms("reloader-reloader-watcher")));
  expect(hostsOf(objects, "reloader-reloader-worker")).not.toContain("reloader-reloader-watcher");
});

test("all answer by the name of the Service that Prometheus may be told of", async () => {
  const alone = await rendered(matrix.operations ?? {});
  expect(hostsOf(alone, "reloader-reloader")).toEqual(forms("reloader-reloader"));
  const hub = await rendered(matrix["a hub that Prometheus scrapes"] ?? {});
  for (const name of ["reloader-reloader-watcher", "reloader-reloader-worker"])
    expect(hostsOf(hub, name)).toEqual(expect.arrayContaining(forms("reloader-reloader")));
});

test("other names are those of the user, and none where there is no Service", async () => {
  expect(hostsOf(await rendered({}), "reloader-reloader")).toEqual([]);
  const fleetReloader = { allowedHosts: ["reloader.example.com"] };
  const objects = await rendered({ values: { fleetReloader } });
  expect(hostsOf(objects, "reloader-reloader")).toEqual(["reloader.example.com"]);
});
