import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessText, tokenOf } from "@fleet-reloader/dashboard/fixture/access-world";
import { jsonField, parseJson } from "@fleet-reloader/domain/json";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";

/** Where something went wrong: a rollout that failed, and a workload that somebody has frozen. */
const failedCluster = "nova";
const frozenCluster = "otech62";
const edges = Array.from({ length: 12 }, (_, at) => `edge-${at + 1}`);
const namespace = "shop";
/** 13 clusters with two workloads each and one with eleven: 37. */
const everywhere = ["api", "web"];
const workers = Array.from({ length: 9 }, (_, at) => `worker-${at + 1}`);

/** What the kubelet says of the container that does not start. */
export const podReason = "couldn't find key dsn in Secret shop/db";

const freezes = `
- cluster: ${frozenCluster}
  namespace: ${namespace}
  workload: Deployment/web
  reason: CHG-12
  by: ann
  until: 2099-01-01T18:00:00Z
`;

/** Who signs in: Ann, who acts everywhere, and Bob, who also freezes and lifts for the whole fleet. */
const access = accessText({
  ann: [{ role: "operator", clusters: "*", namespaces: "*" }],
  bob: [{ role: "admin", clusters: "*", namespaces: "*" }],
});
export type ShownPerson = "ann" | "bob";

/** A hub that serves 14 simulated clusters, after a change that went wrong in places. */
export interface ShownFleet extends AsyncDisposable {
  /** Of the page. */
  readonly origin: string;
  /** The change of the Secret `db`, on all clusters. */
  readonly change: string;
  /** The cookie with which somebody is signed in. */
  readonly cookieOf: (person: ShownPerson) => Promise<string>;
  /** How often the workloads of this name were rolled, on all clusters together. */
  readonly rollsOf: (name: string) => number;
}

/**
 * Starts watcher, worker and dashboard, each as it is shipped, on a Redis of their own, and changes a Secret on all clusters: one rollout
 * fails, one workload is frozen, 35 are healthy.
 */
export async function startShownFleet(): Promise<ShownFleet> {
  await using made = new AsyncDisposableStack();
  const folder = made.adopt(mkdtempSync(join(tmpdir(), "fr-shown-")), (its) =>
    rmSync(its, { recursive: true, force: true }),
  );
  const clusters = await Promise.all(
    [failedCluster, frozenCluster, ...edges].map(async (name) => made.use(await startSimCluster({ name }))),
  );
  const redis = made.use(await startRedis());
  const files = { freezes: join(folder, "freezes.yaml"), access: join(folder, "access.yaml") };
  writeFileSync(files.freezes, freezes);
  writeFileSync(files.access, access);
  const kubeconfigs = join(folder, "clusters");
  mkdirSync(kubeconfigs);
  for (const cluster of clusters) {
    writeFileSync(join(kubeconfigs, `${cluster.name}.kubeconfig`), cluster.kubeconfig(), { mode: 0o600 });
    populate(cluster);
  }
  const start = (service: "watcher" | "worker" | "dashboard", ...more: readonly string[]): Product => {
    const args = ["--kubeconfig-dir", kubeconfigs, "--allow-loopback-http", "--redis-url", redis.url];
    const rules = ["--debounce", "0", "--freeze-file", files.freezes];
    // One folder for all: processes of one Redis have the same key.
    const dataDir = join(folder, "data");
    return made.use(startProduct({ service, kubeconfig: "", dataDir, args: [...args, ...rules, ...more] }));
  };
  const worker = start("worker");
  await worker.healthUrl();
  const watcher = start("watcher");
  const dashboard = start("dashboard", "--access-file", files.access);
  const origin = await originOf(dashboard);
  const cookieOf = (person: ShownPerson) => signIn(origin, person);
  for (const product of [watcher, worker, dashboard]) await product.ready();
  const change = await changeAll(clusters, origin, await cookieOf("ann"));
  const all = made.move();
  return {
    origin,
    change,
    cookieOf,
    rollsOf: (name) =>
      clusters.reduce((sum, one) => sum + one.templateChanges("Deployment", namespace, name), 0),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function originOf(product: Product): Promise<string> {
  const started = await until("it has started", () => product.log.find(({ page }) => page !== undefined));
  return new URL(String(started.page)).origin;
}

/** Resolves to the cookie of a session. */
async function signIn(origin: string, person: ShownPerson): Promise<string> {
  const answer = await fetch(`${origin}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ token: tokenOf(person) }),
  });
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  return cookie;
}

function populate(cluster: SimCluster): void {
  cluster.apply(secret("Zmlyc3Q="));
  for (const name of namesIn(cluster)) cluster.apply(deployment(name));
}

function namesIn({ name }: SimCluster): readonly string[] {
  return name === failedCluster ? [...everywhere, ...workers] : everywhere;
}

/** Resolves to the id of the change when all of its workloads have come to what is shown of them. */
async function changeAll(clusters: readonly SimCluster[], origin: string, cookie: string): Promise<string> {
  const [nova] = clusters;
  if (nova === undefined) throw new Error("there is no cluster");
  nova.stallRollout("Deployment", namespace, "api");
  for (const cluster of clusters) cluster.apply(secret("c2Vjb25k"), { manager: "external-secrets" });
  await until(
    "the rollout that will fail has begun",
    () => nova.templateChanges("Deployment", namespace, "api") > 0,
  );
  failPod(nova);
  return await until("one workload failed, one is held, and 35 are healthy", async () => {
    const answer = parseJson(await (await fetch(`${origin}/api/v1/changes`, { headers: { cookie } })).text());
    const [change] = Object(jsonField(answer, "changes"));
    const { failed, healthy, held } = Object(jsonField(change, "workloads"));
    const isAll = failed === 1 && held === 1 && healthy === 35;
    return isAll ? String(jsonField(change, "id")) : undefined;
  });
}

/** A pod of the new template whose container cannot be made. */
function failPod(cluster: SimCluster): void {
  const metadata = { namespace, name: "api-new-1", labels: { app: "api", "pod-template-hash": "new" } };
  const spec = { containers: [{ name: "app", image: "app:1" }] };
  cluster.apply({ apiVersion: "v1", kind: "Pod", metadata, spec });
  const waiting = { reason: "CreateContainerConfigError", message: podReason };
  const status = { containerStatuses: [{ name: "app", state: { waiting } }] };
  cluster.patch("Pod", namespace, "api-new-1", { status }, { subresource: "status" });
}

/** The container is made now, and the rollout goes on. */
function secret(dsn: string): object {
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "db" }, data: { dsn } };
}

function deployment(name: string): object {
  const annotations = { "reloader.stakater.com/auto": "true" };
  const labels = { app: name };
  const container = { name: "app", image: "app:1", envFrom: [{ secretRef: { name: "db" } }] };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name, annotations },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}
