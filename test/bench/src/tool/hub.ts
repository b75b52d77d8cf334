import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startScaler } from "@fleet-reloader/testkit/scaler";
import type { BenchServer } from "../server/bench-server.ts";
import { sharedMarkKey } from "./data-folder.ts";
import { unbroken } from "./ours.ts";

/** A watcher that is always on, a Redis, and workers that come and go with the work. */
export interface ScaledHub extends AsyncDisposable {
  readonly scaler: Workers;
}

/** Worker processes, whoever starts and stops them. */
interface Workers {
  /** Those that have not ended. */
  readonly processes: number;
  /** How often there was none and one was started. */
  readonly wakes: number;
}

export interface HubOptions {
  readonly server: BenchServer;
  readonly namespace: string;
  readonly pollMs: number;
  readonly cooldownMs: number;
  readonly args: readonly string[];
}

export async function startHub({ server, namespace, args, ...pace }: HubOptions): Promise<ScaledHub> {
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  const key = stack.use(sharedMarkKey());
  const start = (service: "watcher" | "worker", more: readonly string[] = []): Product =>
    startProduct({
      service,
      kubeconfig: server.kubeconfigPath,
      args: ["--namespace", namespace, "--redis-url", redis.url, ...key.args, ...args, ...more],
    });
  const watcher = stack.use(start("watcher", ["--audit-interval", "0"]));
  // Ready it is only when a worker has looked at what is there.
  await watcher.inSync();
  const origin = await watcher.healthUrl();
  const scaler = stack.use(startScaler({ origin, startWorker: () => start("worker", unbroken), ...pace }));
  const whole = stack.move();
  return { scaler, [Symbol.asyncDispose]: () => whole.disposeAsync() };
}
