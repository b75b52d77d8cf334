import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { readProcess, sumOf } from "../meter/process-tree.ts";
import { readRedis } from "../meter/redis-info.ts";
import { dataFolder, sharedMarkKey } from "./data-folder.ts";
import { unbroken } from "./ours.ts";

export interface FleetHubOptions {
  readonly kubeconfig: string;
  /** Contexts of the kubeconfig; none: its current one. */
  readonly contexts: readonly string[];
  readonly workers: number;
  /** 1 unless said otherwise; several share the clusters. */
  readonly watchers?: number;
  /** Of watcher and workers alike. */
  readonly args?: readonly string[];
  readonly workerArgs?: readonly string[];
}

/** CPU seconds and resident MiB of the parts of a hub so far. */
export interface FleetHubReading {
  readonly watcherCpu: number;
  readonly workerCpu: number;
  readonly redisCpu: number;
  readonly watcherMiB: number;
  readonly watcherPeakMiB: number;
  readonly workerMiB: number;
  readonly redisMiB: number;
  readonly redisCommands: number;
}

export async function readFleetHub({ watchers, workers, redis }: FleetHub): Promise<FleetHubReading> {
  const read = (products: readonly Product[]) => products.flatMap(({ pid }) => readProcess(pid) ?? []);
  const [watching, working, store] = [read(watchers), read(workers), await readRedis(redis.port)];
  return {
    watcherCpu: sumOf(watching, "cpuSeconds"),
    workerCpu: sumOf(working, "cpuSeconds"),
    redisCpu: store.cpuSeconds,
    watcherMiB: sumOf(watching, "rssMiB"),
    watcherPeakMiB: sumOf(watching, "peakMiB"),
    workerMiB: sumOf(working, "rssMiB"),
    redisMiB: store.usedMiB,
    redisCommands: store.commands,
  };
}

/** The product as a hub runs it: a watcher, workers and a Redis, each a process of its own. */
export interface FleetHub extends AsyncDisposable {
  /** Those that have not ended. */
  readonly watchers: readonly Product[];
  readonly workers: readonly Product[];
  readonly redis: TestRedis;
  /** From the start of the watcher's process to the answer that it is in sync with every cluster. */
  readonly readyMs: number;
  readonly addWorker: () => Promise<void>;
  readonly addWatcher: () => Promise<void>;
}

/** A thousand clusters list a million objects. */
const readyTimeoutMs = 300_000;

export async function startFleetHub(options: FleetHubOptions): Promise<FleetHub> {
  const stack = new AsyncDisposableStack();
  try {
    const redis = stack.use(await startRedis());
    const key = stack.use(sharedMarkKey());
    const data = stack.use(dataFolder());
    const { kubeconfig, contexts, args = [] } = options;
    const named = contexts.length === 0 ? [] : ["--context", contexts.join(",")];
    const both = [...named, "--redis-url", redis.url, ...key.args, ...args];
    const start = (service: "watcher" | "worker", more: readonly string[] = []) =>
      stack.use(startProduct({ service, kubeconfig, dataDir: data.path, args: [...both, ...more] }));
    const watchers: Product[] = [];
    const addWatcher = async (): Promise<void> => {
      const watcher = start("watcher");
      keepWhileRunning(watchers, watcher);
      await watcher.inSync(readyTimeoutMs);
    };
    const startedAt = performance.now();
    for (let started = 0; started < (options.watchers ?? 1); started += 1) await addWatcher();
    const readyMs = performance.now() - startedAt;
    const workers: Product[] = [];
    const addWorker = async (): Promise<void> => {
      const worker = start("worker", [...unbroken, ...(options.workerArgs ?? [])]);
      keepWhileRunning(workers, worker);
      await worker.ready(readyTimeoutMs);
    };
    for (let started = 0; started < options.workers; started += 1) await addWorker();
    return {
      ...{ watchers, workers, redis, readyMs, addWorker, addWatcher },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

function keepWhileRunning(products: Product[], product: Product): void {
  products.push(product);
  void product.ended.then(() => products.splice(products.indexOf(product), 1));
}
