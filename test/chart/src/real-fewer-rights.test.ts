import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { startSink } from "@fleet-reloader/testkit/http-sink";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, expect, test } from "vitest";
import { grant, refusals, rightsOf } from "./granted.ts";
import { rendered } from "./helm.ts";
import { isAdopted, readsSettings, registering, settings } from "./shop.ts";

const users = ["teller", "telling-watcher", "telling-worker", "hub-watcher", "hub-worker"];
const plane = await startControlPlane({ auditLog: true, users });
afterAll(() => plane.stop());
const client = new ApiClient({ url: plane.url, token: plane.adminToken, ca: plane.caPem });

async function made(kind: "Namespace" | "ConfigMap" | "Secret", object: object, namespace?: string) {
  const { status, body } = await client.create(kind, object, namespace);
  if (status >= 300 && status !== 409) throw new Error(`${kind}: ${status} ${JSON.stringify(body)}`);
}
for (const name of ["tools", "flux-system"]) await made("Namespace", { metadata: { name } });

function start(user: string, service: "standalone" | "watcher" | "worker", args: readonly string[]): Product {
  return startProduct({ kubeconfig: plane.user(user).kubeconfigPath, service, args });
}

/** Nothing was refused, and nothing is missed at the start: it asks for all that it needs. */
function expectContent(user: string, product: Product): void {
  expect(refusals(plane, user)).toEqual([]);
  expect(product.output()).not.toContain("no right to");
}

/** The ConfigMap changes until the webhook is called: a source that is seen for the first time is only remembered. */
async function tellsOf(name: string, received: readonly unknown[]): Promise<void> {
  await made("ConfigMap", { metadata: { name }, data: { v: "0" } }, "tools");
  let v = 0;
  await until("the webhook is called", async () => {
    v += 1;
    await client.patch("ConfigMap", name, { data: { v: String(v) } }, "tools");
    return received.length > 0;
  });
}

test("a webhook is called by one process with the rights for that alone", async () => {
  await using sink = await startSink();
  const webhookUrl = sink.url.href;
  await grant(plane, "teller", await rendered({ values: { reloader: { webhookUrl } } }));
  await using product = start("teller", "standalone", [`--webhook-url=${webhookUrl}`]);
  await product.ready();
  await tellsOf("settings", sink.received);
  expect(await product.stop()).toBe(0);
  expectContent("teller", product);
});

test("and so it is by a hub, whose workers may do nothing", async () => {
  await using sink = await startSink();
  await using redis = await startRedis();
  const webhookUrl = sink.url.href;
  const fleetReloader = { mode: "hub", redis: { url: redis.url } };
  const namespaceSelector = "kubernetes.io/metadata.name=tools";
  const objects = await rendered({ values: { reloader: { webhookUrl, namespaceSelector }, fleetReloader } });
  await grant(plane, "telling-watcher", rightsOf(objects, { but: "worker" }));
  await grant(plane, "telling-worker", rightsOf(objects, { but: "watcher" }));
  const selected = `--namespace-selector=${namespaceSelector}`;
  const args = ["--redis-url", redis.url, `--webhook-url=${webhookUrl}`, selected];
  await using watcher = start("telling-watcher", "watcher", args);
  await using worker = start("telling-worker", "worker", args);
  await watcher.ready();
  await worker.ready();
  await tellsOf("more-settings", sink.received);
  expect([await worker.stop(), await watcher.stop()]).toEqual([0, 0]);
  expectContent("telling-watcher", watcher);
  expectContent("telling-worker", worker);
});

test("a hub that is not served itself rolls in a cluster of a Secret", async () => {
  await using spoke = await startSimCluster({ name: "spoke" });
  await using redis = await startRedis();
  const clusters = { serveHub: false, secrets: ["flux=flux-system"] };
  const values = { fleetReloader: { mode: "hub", redis: { url: redis.url }, clusters } };
  const objects = await rendered({ values });
  await grant(plane, "hub-watcher", rightsOf(objects, { but: "worker" }));
  await grant(plane, "hub-worker", rightsOf(objects, { but: "watcher" }));
  const args = [
    ...["--serve-hub=false", "--cluster-secrets=flux=flux-system", "--redis-url", redis.url],
    ...["--freeze-configmap=tools/reloader-reloader-freezes", "--allow-loopback-http"],
  ];
  await using watcher = start("hub-watcher", "watcher", args);
  await using worker = start("hub-worker", "worker", args);
  spoke.apply(settings("A"));
  spoke.apply(readsSettings);
  await made("Secret", registering(spoke), "flux-system");
  await until("it is adopted", () => isAdopted(spoke));
  spoke.apply(settings("B"));
  await until("it is rolled", () => spoke.templateChanges("Deployment", "shop", "app") === 1);
  expect([await worker.stop(), await watcher.stop()]).toEqual([0, 0]);
  expectContent("hub-watcher", watcher);
  expectContent("hub-worker", worker);
});
