import { join } from "node:path";
import process from "node:process";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import type { BenchServer } from "../server/bench-server.ts";
import type { Tool } from "./tool.ts";

/** Listing 100,000 objects on two busy cores takes its time. */
const READY_TIMEOUT_MS = 120_000;

/** A measurement changes one source as often as a writer that has gone mad. The breakers are asked all the same. */
export const unbroken = ["--breaker-workload", "9999/10m", "--breaker-source", "9999/10m"] as const;

export interface OursOptions {
  readonly server: BenchServer;
  readonly args?: readonly string[];
  /** Absent: they never open. */
  readonly breakers?: "as shipped";
  readonly dataDir: string;
}

export interface Ours extends Tool {
  /** Waits until `/ready` answers 200: until the workloads that it found have been observed, too. */
  readonly ready: () => Promise<void>;
  /** The sum of a counter of its `/metrics`, over the series whose labels contain this text. */
  readonly counted: (metric: string, labels?: string) => Promise<number>;
}

/** The product in one process, from its bundle, with the arguments of `./dev run`; Redis is its child. */
export async function startOurs({ server, args = [], breakers, dataDir }: OursOptions): Promise<Ours> {
  const startedAt = performance.now();
  const product = startProduct({
    kubeconfig: server.kubeconfigPath,
    args: [...(breakers === undefined ? unbroken : []), ...args, ...extraArgs()],
    ...benchNodeArgs(),
    dataDir,
  });
  try {
    await product.inSync(READY_TIMEOUT_MS);
  } catch (error) {
    await product[Symbol.asyncDispose]();
    throw new Error(`our product does not get ready:\n${product.output()}`, { cause: error });
  }
  return {
    name: "ours",
    pid: product.pid,
    redisSocket: join(product.dataDir, "redis.sock"),
    readyMs: performance.now() - startedAt,
    ready: () => product.ready(READY_TIMEOUT_MS),
    counted: async (metric, labels = "") => {
      const answer = await fetch(`${await product.healthUrl()}/metrics`);
      return sumOfSeries(await answer.text(), metric, labels);
    },
    stop: () => stop(product),
    [Symbol.asyncDispose]: () => product[Symbol.asyncDispose](),
  };
}

function sumOfSeries(metrics: string, metric: string, labels: string): number {
  const series = metrics.split("\n").filter((line) => line.startsWith(`${metric}{`) && line.includes(labels));
  return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

async function stop(product: Product): Promise<void> {
  const code = await product.stop();
  if (code !== 0) throw new Error(`our product ended with ${code}:\n${product.output()}`);
}

/** `BENCH_NODE_ARGS` replaces all arguments that Node gets otherwise, to profile or to compare. */
export function benchNodeArgs(): { readonly nodeArgs?: readonly string[] } {
  const { BENCH_NODE_ARGS: text } = process.env;
  return text === undefined ? {} : { nodeArgs: words(text) };
}

/** To try settings out: `BENCH_ARGS="--concurrency 64"`. */
function extraArgs(): readonly string[] {
  return words(process.env.BENCH_ARGS);
}

function words(text = ""): readonly string[] {
  return text.split(" ").filter((word) => word !== "");
}
