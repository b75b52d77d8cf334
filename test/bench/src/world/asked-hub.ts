import { startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import type { BenchContext } from "../benchmark.ts";
import { sharedMarkKey } from "../tool/data-folder.ts";
import { benchNodeArgs } from "../tool/ours.ts";
import { writeAskedFleet } from "./asked-fleet.ts";

const markClusters = 1000;
const perCluster = { workloads: 100, changes: 10, holds: 5 } as const;
/** What the chart gives a dashboard without `resources` of its own: its container may take 512 MiB, and the heap half of that. */
const chartNodeArgs = [
  "--min-semi-space-size=4",
  "--max-semi-space-size=16",
  "--max-old-space-size=256",
] as const;

/** What a hub of 1,000 clusters leaves in Redis, or of as many as are asked for. */
export async function openAskedHub({ size, isQuick, say, startServer }: BenchContext) {
  const clusters = size ?? (isQuick ? 20 : markClusters);
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  say(`writing ${clusters} clusters, ${clusters * perCluster.workloads} workloads`);
  await writeAskedFleet(redis.url, {
    clusters,
    workloadsEach: perCluster.workloads,
    changes: clusters * perCluster.changes,
    clustersPerChange: 2,
    holds: clusters * perCluster.holds,
  });
  const server = stack.use(await startServer());
  const owned = stack.move();
  return {
    redisUrl: redis.url,
    /** Marks are about a hub of this size. */
    isOfMark: clusters === markClusters && !isQuick,
    startDashboard: () => startDashboard(redis.url, server.kubeconfigPath),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The dashboard of a hub at its own address. */
async function startDashboard(redisUrl: string, kubeconfig: string) {
  await using stack = new AsyncDisposableStack();
  const key = stack.use(sharedMarkKey());
  const args = ["--redis-url", redisUrl, ...key.args];
  const asked = { service: "dashboard", kubeconfig, args, nodeArgs: chartNodeArgs } as const;
  const product = stack.use(startProduct({ ...asked, ...benchNodeArgs() }));
  await product.healthUrl();
  const started = product.log.find(({ msg }) => msg === "dashboard started");
  const owned = stack.move();
  return {
    pid: product.pid,
    origin: new URL(String(started?.page)).origin,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
