import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { type Product, type ProductOptions, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, describe, expect, test } from "vitest";
import { expectAnswersAbout } from "./asked-dashboard.ts";
import { grant, refusals, rightsOf } from "./granted.ts";
import { type Rendering, rendered } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";
import { isAdopted, readsSettings, registering, settings } from "./shop.ts";

const plane = await startControlPlane({
  auditLog: true,
  users: [
    ...["global", "scoped", "poor", "watcher", "worker", "dashboard"],
    ...["finding-watcher", "finding-worker"],
  ],
});
afterAll(() => plane.stop());
const client = new ApiClient({ url: plane.url, token: plane.adminToken, ca: plane.caPem });
// The release's own.
await made("Namespace", { metadata: { name: "tools" } });

async function made(
  kind: "Namespace" | "ConfigMap" | "Secret" | "Deployment",
  object: object,
  namespace?: string,
): Promise<void> {
  const { status, body } = await client.create(kind, object, namespace);
  if (status >= 300 && status !== 409) throw new Error(`${kind}: ${status} ${JSON.stringify(body)}`);
}

/** A Deployment that uses a ConfigMap and a Secret, one of which is about to change. */
async function makeSite(namespace: string): Promise<void> {
  await made("Namespace", { metadata: { name: namespace } });
  await made("ConfigMap", { metadata: { name: "settings" }, data: { v: "A" } }, namespace);
  await made("Secret", { metadata: { name: "credentials" }, data: { v: "QQ==" } }, namespace);
  const labels = { app: "app" };
  const envFrom = [{ configMapRef: { name: "settings" } }, { secretRef: { name: "credentials" } }];
  await made(
    "Deployment",
    {
      metadata: { name: "app", annotations: { "reloader.stakater.com/auto": "true" } },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "app", image: "app:1", envFrom }] } },
      },
    },
    namespace,
  );
}

async function annotations(namespace: string): Promise<readonly string[]> {
  const { body } = await client.get("Deployment", "app", namespace);
  return Object.keys(Object(at(body, "metadata", "annotations")));
}

async function templateOf(namespace: string): Promise<string> {
  const { body } = await client.get("Deployment", "app", namespace);
  return JSON.stringify(at(body, "spec", "template"));
}

/** It adopts the Deployment, and rolls it after each of its sources has changed. */
async function rollsFor(namespace: string): Promise<void> {
  await until(
    "adopted",
    async () => (await annotations(namespace)).some((key) => key.includes("carried-")),
    60_000,
  );
  const changes = [
    ["ConfigMap", "settings", "B"],
    ["Secret", "credentials", "Qg=="],
  ] as const;
  for (const [kind, name, value] of changes) {
    const before = await templateOf(namespace);
    await client.patch(kind, name, { data: { v: value } }, namespace);
    await until(`rolled for ${kind}`, async () => (await templateOf(namespace)) !== before);
  }
}

function start(user: string, options: Omit<ProductOptions, "kubeconfig"> = {}): Product {
  return startProduct({ kubeconfig: plane.user(user).kubeconfigPath, ...options });
}

describe("with exactly the rights the chart renders", () => {
  test("for all namespaces it works, and is refused nothing", async () => {
    await makeSite("global");
    await grant(plane, "global", await rendered({}));
    await using product = start("global");
    await product.ready();
    await rollsFor("global");
    expect(await product.stop()).toBe(0);
    expect(refusals(plane, "global")).toEqual([]);
  });

  test("for one namespace it works without any cluster-wide right", async () => {
    const rendering: Rendering = { namespace: "scoped", values: { reloader: { watchGlobally: false } } };
    await makeSite("scoped");
    await grant(plane, "scoped", await rendered(rendering));
    await using product = start("scoped", { env: { KUBERNETES_NAMESPACE: "scoped" } });
    await product.ready();
    await rollsFor("scoped");
    expect(await product.stop()).toBe(0);
    // Asked once, and answered by another identity of the cluster when it is refused.
    expect(new Set(refusals(plane, "scoped"))).toEqual(new Set(["get namespaces kube-system"]));
  });

  test("a hub's processes, each with its own rights, are refused nothing", async () => {
    await makeSite("hub");
    await using redis = await startRedis();
    const namespaceSelector = "kubernetes.io/metadata.name=hub";
    const values = {
      fleetReloader: { mode: "hub", redis: { url: redis.url }, hub: { dashboard: { enabled: true } } },
      reloader: { namespaceSelector },
    };
    const objects = await rendered({ values });
    for (const service of ["watcher", "worker", "dashboard"] as const)
      await grant(
        plane,
        service,
        objects.filter(
          ({ kind, metadata }) => kind.startsWith("ClusterRole") && metadata.name.includes(service),
        ),
      );
    const args = ["--redis-url", redis.url, `--namespace-selector=${namespaceSelector}`];
    await using watcher = start("watcher", { service: "watcher", args });
    await using worker = start("worker", { service: "worker", args });
    await worker.ready();
    await watcher.ready();
    await rollsFor("hub");
    await using dashboard = start("dashboard", { service: "dashboard", args });
    await expectAnswersAbout("hub", dashboard);
    expect([await dashboard.stop(), await worker.stop(), await watcher.stop()]).toEqual([0, 0, 0]);
    const refused = ["watcher", "worker", "dashboard"].map((user) => refusals(plane, user));
    expect(refused).toEqual([[], [], []]);
  });

  test("a hub finds a cluster in a Secret and reads its freezes, and is refused nothing", async () => {
    await using spoke = await startSimCluster({ name: "spoke" });
    await using redis = await startRedis();
    for (const name of ["flux-system", "argocd"]) await made("Namespace", { metadata: { name } });
    const clusters = { secrets: ["multicluster-runtime", "flux=flux-system"], argocdNamespace: "argocd" };
    const values = { fleetReloader: { mode: "hub", redis: { url: redis.url }, clusters } };
    const objects = await rendered({ values });
    await grant(plane, "finding-watcher", rightsOf(objects, { but: "worker" }));
    await grant(plane, "finding-worker", rightsOf(objects, { but: "watcher" }));
    // The spoke is simulated.
    const args = (service: string) => [
      ...findingFlags(objects, service),
      ...["--redis-url", redis.url, "--allow-loopback-http"],
    ];
    await using watcher = start("finding-watcher", { service: "watcher", args: args("watcher") });
    await using worker = start("finding-worker", { service: "worker", args: args("worker") });
    await watcher.ready();
    await worker.ready();

    spoke.apply(settings("A"));
    spoke.apply(readsSettings);
    await made("Secret", registering(spoke), "flux-system");
    await until("it is adopted", () => isAdopted(spoke));
    const [name, frozen] = ["reloader-reloader-freezes", { "freezes.yaml": "- fleet: true\n" }];
    await made("ConfigMap", { metadata: { name }, data: frozen }, "tools");
    spoke.apply(settings("B"));
    await until("it is held", () => worker.log.some(({ reason }) => reason === "Frozen"));
    const rolls = () => spoke.templateChanges("Deployment", "shop", "app");
    expect(rolls()).toBe(0);
    await client.patch("ConfigMap", name, { data: { "freezes.yaml": "[]\n" } }, "tools");
    await until("it is rolled", () => rolls() === 1);
    expect([await worker.stop(), await watcher.stop()]).toEqual([0, 0]);
    expect([refusals(plane, "finding-watcher"), refusals(plane, "finding-worker")]).toEqual([[], []]);
  });

  test.each([
    ["secrets", "list"],
    ["configmaps", "watch"],
    ["deployments", "list"],
    ["statefulsets", "list"],
    ["daemonsets", "watch"],
  ])("without %s: %s it says so", async (resource, verb) => {
    await grant(plane, "poor", without(await rendered({}), resource, verb));
    await using product = start("poor");
    const line = await until(
      "a message names what is missing",
      () => product.log.find((each) => String(each.err).includes(`cannot ${verb} resource "${resource}"`)),
      60_000,
    );
    expect(line.level).toBe("warn");
    const ready = await fetch(`${await product.healthUrl()}/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain(resource);
    expect(await product.stop()).toBe(0);
  });
});

/** The flags that the chart gives it to find clusters and freezes. */
function findingFlags(objects: readonly Manifest[], service: string): readonly string[] {
  const deployment = the(objects, "Deployment", `reloader-reloader-${service}`);
  const args = list(at(deployment, "spec", "template", "spec", "containers", 0, "args"));
  const found = args.filter((arg) => /^--(cluster-secrets|argocd-clusters|freeze-configmap)=/.test(arg));
  expect(found).toHaveLength(4);
  return found;
}

/** The same objects, but nobody may do this with that. */
function without(objects: readonly Manifest[], resource: string, verb: string): readonly Manifest[] {
  const split = (rule: unknown): readonly object[] => {
    const resources = list(at(rule, "resources"));
    if (!resources.includes(resource)) return [Object(rule)];
    return [
      { ...Object(rule), resources: resources.filter((each) => each !== resource) },
      {
        ...Object(rule),
        resources: [resource],
        verbs: list(at(rule, "verbs")).filter((each) => each !== verb),
      },
    ].filter((each) => each.resources.length > 0 && (each.verbs?.length ?? 1) > 0);
  };
  return objects.map((object) =>
    Array.isArray(object.rules) ? { ...object, rules: object.rules.flatMap(split) } : object,
  );
}

function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
