import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { startSink } from "@fleet-reloader/testkit/http-sink";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";

const namespace = "shop";

/** A watcher and a worker on one Redis, with one cluster given and one registered in a folder. */
export interface ScrapedHub extends AsyncDisposable {
  readonly redis: TestRedis;
  readonly given: SimCluster;
  readonly registered: SimCluster;
  readonly freezeFile: string;
  /** Kubeconfigs in here are clusters. */
  readonly registrations: string;
  start(service: "watcher" | "worker"): Product;
  /** Changes the content of the ConfigMap that the Deployment of this cluster reads. */
  change(cluster: SimCluster): Promise<void>;
}

export async function startScrapedHub(): Promise<ScrapedHub> {
  const folder = mkdtempSync(join(tmpdir(), "fr-signals-"));
  const registrations = join(folder, "clusters");
  mkdirSync(registrations);
  const redis = await startRedis();
  const given = await startSimCluster({ name: "given" });
  const registered = await startSimCluster({ name: "registered" });
  await Promise.all([given, registered].map(furnish));
  // It refuses every alert about a roll.
  const sink = await startSink((response) => response.writeHead(404).end());
  const freezeFile = join(folder, "freezes.yaml");
  writeFileSync(freezeFile, "[]\n");
  const kubeconfig = join(folder, "given.yaml");
  writeFileSync(kubeconfig, given.kubeconfig(), { mode: 0o600 });
  writeFileSync(join(registrations, "registered.yaml"), registered.kubeconfig(), { mode: 0o600 });
  const products: Product[] = [];
  let changes = 0;
  return {
    redis,
    given,
    registered,
    freezeFile,
    registrations,
    start(service) {
      const shared = [
        "--redis-url",
        redis.url,
        "--kubeconfig-dir",
        registrations,
        "--freeze-file",
        freezeFile,
      ];
      const quick = ["--debounce", "200ms", "--allow-loopback-http"];
      const env = { ALERT_ON_RELOAD: "true", ALERT_WEBHOOK_URL: sink.url.href };
      const own = service === "worker" ? { env } : {};
      const product = startProduct({
        service,
        kubeconfig,
        dataDir: folder,
        args: [...shared, ...quick],
        ...own,
      });
      products.push(product);
      return product;
    },
    async change(cluster) {
      changes += 1;
      const { status } = await clientOf(cluster).patch(
        "ConfigMap",
        "settings",
        { data: { v: `${changes}` } },
        namespace,
      );
      if (status !== 200) throw new Error(`the API server answered ${status}`);
    },
    async [Symbol.asyncDispose]() {
      for (const product of products) await product[Symbol.asyncDispose]();
      await Promise.all([given, registered].map((cluster) => cluster[Symbol.asyncDispose]()));
      await redis[Symbol.asyncDispose]();
      await sink[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A Deployment that reads a ConfigMap. */
async function furnish(cluster: SimCluster): Promise<void> {
  const client = clientOf(cluster);
  const labels = { app: "api" };
  const container = { name: "app", image: "app:1", envFrom: [{ configMapRef: { name: "settings" } }] };
  const made = [
    await client.create("Namespace", { metadata: { name: namespace } }),
    await client.create("ConfigMap", { metadata: { name: "settings" }, data: { v: "0" } }, namespace),
    await client.create(
      "Deployment",
      {
        metadata: { name: "api", annotations: { "reloader.stakater.com/auto": "true" } },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container] } },
        },
      },
      namespace,
    ),
  ];
  const refused = made.find(({ status }) => status !== 201);
  if (refused !== undefined) throw new Error(`the API server answered ${JSON.stringify(refused)}`);
}

function clientOf({ url, token }: SimCluster): ApiClient {
  return new ApiClient({ url, token });
}
