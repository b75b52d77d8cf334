import { describe, expect, test } from "vitest";
import { refusal, rendered } from "./helm.ts";
import { at, type Manifest } from "./manifest.ts";

const webhookUrl = "http://hooks/changed";
const variable = "FLEET_RELOADER_WEBHOOK_URL";
const redis = { url: "redis://redis" };
const hub = { mode: "hub", redis, hub: { dashboard: { enabled: true } } };
const isReading = ["configmaps: get, list, watch", "secrets: get, list, watch"];

/** What the roles of served namespaces grant: `process resource: verbs`. */
function granted(objects: readonly Manifest[]): readonly string[] {
  const roles = objects.filter(({ metadata: { name } }) =>
    /^reloader-reloader(-(watcher|worker|dashboard))?-role$/.test(name),
  );
  return roles.flatMap((role) => {
    const [, service = ""] = /^reloader-reloader-(watcher|worker|dashboard)/.exec(role.metadata.name) ?? [];
    return (Array.isArray(role.rules) ? role.rules : []).flatMap((rule) =>
      Object.values(Object(at(rule, "resources"))).map((resource) =>
        `${service} ${String(resource)}: ${Object.values(Object(at(rule, "verbs"))).join(", ")}`.trim(),
      ),
    );
  });
}

async function grantedBy(values: object): Promise<readonly string[]> {
  return granted(await rendered({ values }));
}

describe("where a webhook is called and nothing is rolled, only sources may be read", () => {
  const kinds = { isArgoRollouts: true, isOpenshift: true };

  test.each([
    [{ reloader: { webhookUrl, ...kinds } }],
    [{ fleetReloader: { args: ["--webhook-url", webhookUrl] } }],
    [{ reloader: { deployment: { env: { existing: { hook: { [variable]: "url" } } } } } }],
  ])("%j", async (values) => {
    expect(await grantedBy(values)).toEqual(["namespaces: get", ...isReading]);
  });

  test("in some namespaces, and of the kinds that are watched", async () => {
    const reloader = { webhookUrl, watchGlobally: false, ignoreSecrets: true, enableCSIIntegration: true };
    expect(await grantedBy({ reloader })).toEqual([
      "configmaps: get, list, watch",
      "secretproviderclasses: get, list, watch",
      "secretproviderclasspodstatuses: get, list, watch",
    ]);
  });

  test("in a hub by watchers and the dashboard; workers do nothing", async () => {
    expect(await grantedBy({ reloader: { webhookUrl }, fleetReloader: hub })).toEqual([
      "watcher namespaces: get",
      ...isReading.map((each) => `watcher ${each}`),
      "worker namespaces: get",
      "dashboard namespaces: get",
      ...["dashboard configmaps: get, list", "dashboard secrets: get, list"],
    ]);
    const scoped = { webhookUrl, watchGlobally: false };
    expect((await grantedBy({ reloader: scoped, fleetReloader: hub })).join()).not.toContain("worker");
  });

  test("in a hub that selects namespaces by labels workers look at none of them", async () => {
    const reloader = { webhookUrl, namespaceSelector: "reload=yes" };
    const all = await grantedBy({ reloader, fleetReloader: hub });
    expect(all.filter((each) => each.includes(" namespaces: "))).toEqual([
      ...["watcher namespaces: get", "watcher namespaces: list, watch"],
      // The identity of the cluster alone.
      "worker namespaces: get",
      ...["dashboard namespaces: get", "dashboard namespaces: get"],
    ]);
  });

  test("an Event tells of a cluster that another registration claims to be", async () => {
    const clusters = { secrets: ["flux=flux-system"] };
    const all = await grantedBy({ reloader: { webhookUrl }, fleetReloader: { clusters } });
    expect(all).toEqual(["namespaces: get", ...isReading, "events: create, patch"]);
  });

  test("an empty address is none: it rolls", async () => {
    const env = { open: { [variable]: "" } };
    const empty = { reloader: { deployment: { env } }, fleetReloader: { args: ["--webhook-url="] } };
    expect(await grantedBy(empty)).toEqual(await grantedBy({}));
  });
});

describe("a cluster that only registers others grants no right to serve it", () => {
  const notServed = { serveHub: false };

  test.each([
    ["in folders", { kubeconfigSecrets: ["team-a"] }],
    ["in Secrets", { secrets: ["cluster-api"] }],
    ["in an Argo CD", { argocdNamespace: "argocd" }],
    ["in profiles", { profiles: "*" }],
  ])("%s", async (_, places) => {
    for (const more of [{}, hub])
      for (const reloader of [{}, { watchGlobally: false }, { namespaceSelector: "a=b" }]) {
        const objects = await rendered({
          values: { reloader, fleetReloader: { ...more, clusters: { ...notServed, ...places } } },
        });
        expect(granted(objects)).toEqual([]);
        const names = objects
          .filter(({ kind }) => kind.includes("Role"))
          .map(({ metadata }) => metadata.name);
        expect(names.filter((name) => !/-(registration|secrets|freezes)$/.test(name))).toEqual([]);
        expect(names.some((name) => name.endsWith("-registration"))).toBe(!("kubeconfigSecrets" in places));
      }
  });

  test("one that registers none would be served all the same: that is refused", async () => {
    const message = await refusal({ fleetReloader: { clusters: notServed } });
    expect(message).toContain("fleetReloader.clusters.serveHub is false, but no other cluster is registered");
    expect(message).toContain("leave serveHub true");
  });

  test("it is served where a flag or a variable may say so", async () => {
    const all = await grantedBy({});
    const clusters = { ...notServed, secrets: ["cluster-api"] };
    const env = { open: { FLEET_RELOADER_SERVE_HUB: "true" } };
    for (const values of [
      { fleetReloader: { clusters: notServed, args: ["--cluster-secrets=cluster-api"] } },
      { fleetReloader: { clusters: { secrets: ["cluster-api"] } } },
      { fleetReloader: { clusters, args: ["--serve-hub=true"] } },
      { fleetReloader: { clusters, args: ["--context", "b"] } },
      { fleetReloader: { clusters }, reloader: { deployment: { env } } },
    ])
      expect(await grantedBy(values)).toEqual(all);
  });

  test("rights of one's own are granted all the same", async () => {
    const rule = { apiGroups: ["x.example"], resources: ["things"], verbs: ["get", "patch"] };
    const clusters = { ...notServed, secrets: ["cluster-api"] };
    const fleetReloader = { ...hub, clusters, extraRules: [rule] };
    expect(await grantedBy({ fleetReloader })).toEqual([
      "watcher things: get",
      "worker things: get, patch",
      "dashboard things: get",
    ]);
  });
});
