import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { pickFreePort } from "@fleet-reloader/testkit/free-port";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { type Pods, startPods } from "./pods.ts";
import { type ScaledWorker, scaledWorker, type WorkerScaling } from "./scaled-worker.ts";
import type { ScaledPlane } from "./start-keda.ts";

export interface HubOptions extends ScaledPlane, Omit<WorkerScaling, "watcher" | "redisUrl"> {
  /** Flags of watcher and workers. */
  readonly args?: readonly string[];
  readonly workerArgs?: readonly string[];
}

/** A Redis, and what is scaled by KEDA: nothing of it runs until it is told to. */
export interface KedaHub extends AsyncDisposable {
  readonly pods: Pods;
  /** On the same ports each time. */
  startWatcher(): Product;
  /** Makes the Deployment of the workers and its ScaledObject. */
  scale(): Promise<void>;
}

export async function createHub(options: HubOptions): Promise<KedaHub> {
  const { kubeconfigPath: kubeconfig, namespace, target, trigger } = options;
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  const folder = mkdtempSync(join(tmpdir(), "fr-keda-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const keyFile = join(folder, "shared.key");
  writeFileSync(keyFile, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
  const watcher = { healthPort: await pickFreePort(), scalerPort: await pickFreePort() };
  const worker = await scaledWorker({ ...options, redisUrl: redis.url, watcher });
  const start = (service: "watcher" | "worker", more: readonly string[]): Product => {
    const shared = ["--namespace", namespace, "--redis-url", redis.url, ...(options.args ?? [])];
    return startProduct({ service, kubeconfig, args: [...shared, ...more] });
  };
  const pods = stack.use(
    await startPods({
      ...{ target, namespace, labelSelector: worker.labelSelector },
      start: () => start("worker", ["--mark-key-file", keyFile, ...(options.workerArgs ?? [])]),
    }),
  );
  const watcherArgs = [
    ...["--audit-interval", "0", "--listen-address", `127.0.0.1:${watcher.healthPort}`],
    ...(trigger === "push" ? ["--scaler-listen-address", `127.0.0.1:${watcher.scalerPort}`] : []),
  ];
  const whole = stack.move();
  return {
    pods,
    startWatcher: () => whole.use(start("watcher", watcherArgs)),
    scale: () => create(new ApiClient(target), namespace, worker),
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

async function create(client: ApiClient, namespace: string, worker: ScaledWorker): Promise<void> {
  const { deployment, redisSecret, scaledObject } = worker;
  for (const [path, object] of [
    [`/api/v1/namespaces/${namespace}/secrets`, redisSecret],
    [`/apis/apps/v1/namespaces/${namespace}/deployments`, deployment],
    [`/apis/keda.sh/v1alpha1/namespaces/${namespace}/scaledobjects`, scaledObject],
  ] as const) {
    const { status, body } = await client.send("POST", path, object);
    if (status !== 201) throw new Error(`${path} was answered with ${status}: ${JSON.stringify(body)}`);
  }
}
