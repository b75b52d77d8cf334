import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { auto, reads, Site } from "./site.ts";

/** One of several clusters, with a Deployment that reads a ConfigMap. */
export interface FleetCluster {
  readonly name: string;
  readonly api: SimCluster;
  readonly at: Site;
}

/** Several simulated clusters, and watchers and workers that all know all of them. */
export interface SharedFleet extends AsyncDisposable {
  readonly clusters: readonly FleetCluster[];
  readonly watcher: () => Product;
  /** A watcher that has a way of its own to this cluster. */
  readonly watcherBy: (cluster: FleetCluster, kubeconfig: string) => Product;
  readonly worker: () => Product;
  readonly standalone: () => Product;
  readonly dashboard: () => Product;
  /** How a command asks about one of the clusters as the processes know it. */
  readonly placesOf: (cluster: FleetCluster) => readonly string[];
  /** All who ever watched this cluster, the latest last; found in what they say. */
  readonly ownersOf: (cluster: FleetCluster) => readonly Product[];
  /** Waits until each cluster has an owner that lives, and answers who. */
  readonly settled: () => Promise<ReadonlyMap<FleetCluster, Product>>;
  /** What all processes said, for when something did not hold. */
  readonly told: () => string;
}

type Service = "watcher" | "worker" | "standalone" | "dashboard";

export async function startSharedFleet(options: {
  readonly clusters: number;
  /** The same for all, or the one of each service. */
  readonly redisUrl: string | ((service: Service) => string);
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}): Promise<SharedFleet> {
  const directory = mkdtempSync(join(tmpdir(), "fr-fleet-"));
  const names = Array.from({ length: options.clusters }, (_, i) => `cluster-${i + 1}`);
  const clusters = await Promise.all(names.map((name) => startCluster(name, directory)));
  const products: Product[] = [];
  const fileOf = (name: string) => join(directory, `${name}.yaml`);
  const kubeconfig = names.map(fileOf).join(":");
  const { redisUrl } = options;
  const urlOf = typeof redisUrl === "string" ? () => redisUrl : redisUrl;
  const startBy = (service: Service, ways: string): Product => {
    const product = startProduct({
      service,
      kubeconfig: ways,
      // One for all: workers of one Redis have the same key.
      dataDir: directory,
      args: [
        ...["--redis-url", urlOf(service), "--log-level", "debug"],
        ...names.flatMap((name) => ["--context", name]),
        ...(options.args ?? []),
      ],
      env: options.env ?? {},
    });
    products.push(product);
    return product;
  };
  const start = (service: Service) => () => startBy(service, kubeconfig);
  const ownersOf = ({ api }: FleetCluster): readonly Product[] =>
    products
      .flatMap((product) => product.log.map((line) => ({ product, line })))
      .filter(({ line }) => line.msg === "this watcher watches the cluster" && line.clusterUid === api.uid)
      .sort((a, b) => Number(a.line.epoch) - Number(b.line.epoch))
      .map(({ product }) => product);
  const ended = new Set<Product>();
  return {
    clusters,
    watcher: start("watcher"),
    watcherBy: ({ name }, way) => {
      const file = join(directory, `${name}-by-another-way.yaml`);
      writeFileSync(file, way, { mode: 0o600 });
      return startBy("watcher", names.map((each) => (each === name ? file : fileOf(each))).join(":"));
    },
    worker: start("worker"),
    standalone: start("standalone"),
    dashboard: start("dashboard"),
    placesOf: ({ name }) => ["--kubeconfig", kubeconfig, "--context", name, "--data-dir", directory],
    ownersOf,
    async settled() {
      for (const product of products) void product.ended.then(() => ended.add(product));
      const owners = new Map<FleetCluster, Product>();
      await until("each cluster has an owner that lives", () =>
        clusters.every((cluster) => {
          const owner = ownersOf(cluster).at(-1);
          if (owner === undefined || ended.has(owner)) return false;
          owners.set(cluster, owner);
          return true;
        }),
      );
      return owners;
    },
    told: () => products.map((product) => `process ${product.pid}:\n${product.output()}`).join("\n"),
    async [Symbol.asyncDispose]() {
      for (const product of products) await product[Symbol.asyncDispose]();
      for (const { api } of clusters) await api[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The next change of each cluster, and the roll for it. */
export async function rollsEverywhere({ clusters }: SharedFleet, round: number): Promise<void> {
  for (const { at } of clusters) await at.change("ConfigMap", "settings", { v: `${round}` });
  await Promise.all(clusters.map(({ at }) => at.settlesAt("Deployment", "api", round)));
}

async function startCluster(name: string, directory: string): Promise<FleetCluster> {
  const api = await startSimCluster({ name });
  writeFileSync(join(directory, `${name}.yaml`), api.kubeconfig(), { mode: 0o600 });
  const at = await Site.make(new ApiClient({ url: api.url, token: api.token }), "shared");
  await at.configMap("settings", { v: "0" });
  await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
  return { name, api, at };
}
