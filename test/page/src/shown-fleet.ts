import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonField, parseJson } from "@fleet-reloader/domain/json";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
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

/** A standalone that serves 14 simulated clusters, after a change that went wrong in places. */
export interface ShownFleet extends AsyncDisposable {
  /** Of the page. */
  readonly origin: string;
  /** The change of the Secret `db`, on all clusters. */
  readonly change: string;
}

/** Starts the fleet and changes a Secret on all its clusters: one rollout fails, one workload is frozen, 35 are healthy. */
export async function startShownFleet(): Promise<ShownFleet> {
  const folder = mkdtempSync(join(tmpdir(), "fr-shown-"));
  const clusters = await Promise.all(
    [failedCluster, frozenCluster, ...edges].map((name) => startSimCluster({ name })),
  );
  for (const cluster of clusters) {
    writeFileSync(join(folder, `${cluster.name}.kubeconfig`), cluster.kubeconfig(), { mode: 0o600 });
    populate(cluster);
  }
  const product = startProduct({
    kubeconfig: "",
    args: ["--kubeconfig-dir", folder, "--allow-loopback-http", "--debounce", "0"],
    prepare: (dataDir) => writeFileSync(join(dataDir, "freezes.yaml"), freezes),
  });
  const end = async () => {
    await product[Symbol.asyncDispose]();
    await Promise.all(clusters.map((one) => one[Symbol.asyncDispose]()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const origin = await originOf(product);
    const change = await changeAll(clusters, product, origin);
    return { origin, change, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function originOf(product: Product): Promise<string> {
  const started = await until("it has started", () => product.log.find(({ queues }) => queues !== undefined));
  return new URL(String(started.queues)).origin;
}

function populate(cluster: SimCluster): void {
  cluster.apply(secret("Zmlyc3Q="));
  for (const name of namesIn(cluster)) cluster.apply(deployment(name));
}

function namesIn({ name }: SimCluster): readonly string[] {
  return name === failedCluster ? [...everywhere, ...workers] : everywhere;
}

/** Resolves to the id of the change when all of its workloads have come to what is shown of them. */
async function changeAll(clusters: readonly SimCluster[], product: Product, origin: string): Promise<string> {
  await product.ready();
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
    const answer = parseJson(await (await fetch(`${origin}/api/v1/changes`)).text());
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
