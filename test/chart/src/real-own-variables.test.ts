import { describe, expect, test } from "vitest";
import { refusal, rendered } from "./helm.ts";
import { at, type Manifest } from "./manifest.ts";

const redis = { url: "rediss://redis" };
const hub = { mode: "hub", redis, hub: { dashboard: { enabled: true } } };

/** The variables of each Deployment's container. */
function variables(objects: readonly Manifest[]): readonly (readonly unknown[])[] {
  return objects.flatMap((object) => {
    const env = at(object, "spec", "template", "spec", "containers", 0, "env");
    return object.kind === "Deployment" && Array.isArray(env) ? [env] : [];
  });
}

const fieldOf = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });

test("a release without any variable of its own can say so", async () => {
  const objects = await rendered({ values: { reloader: { deployment: { env: null } } } });
  expect(variables(objects)).toHaveLength(1);
});

/** Helm 4 applies on the server's side, where a list that has a name twice is refused. */
describe("a variable that the chart sets too is there once", () => {
  test.each([
    [{ field: { POD_NAME: "metadata.name" } }, { name: "POD_NAME", ...fieldOf("metadata.name") }],
    [{ field: { POD_NAME: "metadata.uid" } }, { name: "POD_NAME", ...fieldOf("metadata.uid") }],
    [{ open: { RELOADER_NAMESPACE: "" } }, { name: "RELOADER_NAMESPACE", ...fieldOf("metadata.namespace") }],
    [{ open: { RELOADER_NAMESPACE: "meta" } }, { name: "RELOADER_NAMESPACE", value: "meta" }],
    [{ open: { RELOADER_DEPLOYMENT_NAME: "x" } }, { name: "RELOADER_DEPLOYMENT_NAME", value: "x" }],
    [
      { field: { POD_NAMESPACE: "metadata.namespace" } },
      { name: "POD_NAMESPACE", ...fieldOf("metadata.namespace") },
    ],
    [{ open: { NODE_EXTRA_CA_CERTS: "/ca" } }, { name: "NODE_EXTRA_CA_CERTS", value: "/ca" }],
    [
      { open: { METRICS_COUNT_BY_NAMESPACE: "disabled" } },
      { name: "METRICS_COUNT_BY_NAMESPACE", value: "disabled" },
    ],
    // The last of the four styles counts, as it does in a container that has both.
    [
      { open: { NODE: "x" }, field: { NODE: "spec.nodeName" } },
      { name: "NODE", ...fieldOf("spec.nodeName") },
    ],
  ])("%j", async (env, wanted) => {
    for (const fleetReloader of [{}, hub]) {
      const reloader = { deployment: { env }, enableMetricsByNamespace: true };
      const found = variables(await rendered({ values: { reloader, fleetReloader } }));
      expect(found.length).toBeGreaterThan(0);
      for (const all of found)
        expect(all.filter((each) => at(each, "name") === wanted.name)).toEqual([wanted]);
    }
  });
});

describe("a variable that would undo a value of the chart is refused, with both named", () => {
  test.each([
    [
      { open: { NODE_EXTRA_CA_CERTS: "/ca" } },
      { redis: { ...redis, caSecret: "redis-ca" } },
      ["env.open.NODE_EXTRA_CA_CERTS", "fleetReloader.redis.caSecret", "put all certificates"],
    ],
    [
      { secret: { FLEET_RELOADER_REDIS_URL: "redis://u:p@r" } },
      { redis },
      ["env.secret.FLEET_RELOADER_REDIS_URL", "fleetReloader.redis"],
    ],
    [
      { existing: { keys: { FLEET_RELOADER_MARK_KEY_SECRET: "k" } } },
      {},
      ["env.existing.keys.FLEET_RELOADER_MARK_KEY_SECRET", "fleetReloader.markKey"],
    ],
    [
      { open: { FLEET_RELOADER_FREEZE_CONFIGMAP: "a/b" } },
      hub,
      ["env.open.FLEET_RELOADER_FREEZE_CONFIGMAP", "fleetReloader.brakes.freezeConfigMap"],
    ],
    // A document of freezes in another namespace could not be read, and would freeze everything.
    [{ open: { POD_NAMESPACE: "x" } }, {}, ["env.open.POD_NAMESPACE", "remove it"]],
    [{ field: { POD_NAMESPACE: "metadata.name" } }, {}, ["env.field.POD_NAMESPACE", "remove it"]],
  ])("%j", async (env, fleetReloader, says) => {
    const message = await refusal({ reloader: { deployment: { env } }, fleetReloader });
    for (const text of says) expect(message).toContain(text);
    expect(message).not.toContain("u:p@");
  });
});

test("a namespace that is served may be named once only", async () => {
  const served = (env: object) => ({ reloader: { watchGlobally: false, deployment: { env } } });
  const message = await refusal(served({ open: { KUBERNETES_NAMESPACE: "x" } }));
  for (const text of ["env.open.KUBERNETES_NAMESPACE", "reloader.namespaces"])
    expect(message).toContain(text);
  const field = { KUBERNETES_NAMESPACE: "metadata.namespace" };
  const [all] = variables(await rendered({ values: served({ field }) }));
  expect(all?.filter((each) => at(each, "name") === "KUBERNETES_NAMESPACE")).toHaveLength(1);
});
