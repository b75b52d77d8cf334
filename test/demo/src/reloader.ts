import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { clusterNames } from "./seeds/clusters.ts";
import type { Stage } from "./stage.ts";

/** The shipped product on the stage's clusters. */
export interface Reloader extends AsyncDisposable {
  /** Waits until it is ready; rejects with the signal's reason, or with what it wrote when it ends instead. */
  readonly ready: (
    signal: AbortSignal,
  ) => Promise<{ readonly healthUrl: string; readonly queuesUrl: string }>;
  /** Aborted, with the reason, when it ends although nobody asked it to. */
  readonly died: AbortSignal;
}

/** Ctrl-C is answered within two seconds, whatever the product is doing. */
const stopPatienceMs = 1200;

export function startReloader(stage: Stage): Reloader {
  const product = startProduct({
    kubeconfig: stage.kubeconfigPath,
    dataDir: stage.dataDir,
    args: clusterNames.flatMap((name) => ["--context", name]),
    env: withoutOwnSettings(process.env),
  });
  const kill = () => product.signal("SIGKILL");
  process.once("exit", kill);
  const died = new AbortController();
  let isStopping = false;
  void product.ended.then((code) => {
    if (!isStopping)
      died.abort(new Error(`fleet-reloader ended by itself (${code}):\n${lastLines(product)}`));
  });
  return {
    died: died.signal,
    ready: async (signal) => {
      await unless(AbortSignal.any([signal, died.signal]), product.ready());
      const queues = product.log.find((line) => typeof line.queues === "string")?.queues;
      return { healthUrl: await product.healthUrl(), queuesUrl: String(queues) };
    },
    [Symbol.asyncDispose]: async () => {
      isStopping = true;
      const overdue = setTimeout(kill, stopPatienceMs);
      await product.stop();
      clearTimeout(overdue);
      process.removeListener("exit", kill);
      await redisEnded(stage.dataDir);
    },
  };
}

async function unless<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return await Promise.race([promise, aborted.promise]);
}

/** Settings of a real installation in the shell of whoever runs the demo: an empty value counts as none. */
function withoutOwnSettings(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.keys(env).filter(
    (name) => name.startsWith("FLEET_RELOADER_") || name === "KUBERNETES_NAMESPACE",
  );
  return Object.fromEntries(own.map((name) => [name, ""]));
}

/** The embedded redis-server removes its pid file as the last thing; when it was killed there is nothing to wait for. */
async function redisEnded(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, "redis.pid");
  for (let waitedMs = 0; waitedMs < 500 && existsSync(pidFile); waitedMs += 20) await wait(20);
}

function lastLines(product: Product): string {
  return product.output().trimEnd().split("\n").slice(-10).join("\n");
}
