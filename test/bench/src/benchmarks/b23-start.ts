import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { jsonField, parseJson } from "@fleet-reloader/domain/json";
import { type Product, type ProductOptions, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import type { BenchContext, Benchmark, Outcome } from "../benchmark.ts";
import { figure } from "../report/table.ts";
import { type Spread, spreadOf } from "../stats/percentile.ts";
import { dataFolder, sharedMarkKey } from "../tool/data-folder.ts";
import { readShipped, type Shipped } from "../tool/shipped.ts";

const fullStarts = 20;
const quickStarts = 1;
const workerMarkMs = 400;
const namespace = "start";
const firstRequest = "worker: first request";
const commandLine = join(import.meta.dirname, "../../../../services/cli/dist/main.mjs");

/** Milliseconds from the start of each process. */
type Starts = ReadonlyMap<string, readonly number[]>;

export const start: Benchmark = {
  id: "B23",
  title: "What is shipped: image by layer, packages and bundles; how soon each process works",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const rounds = context.size ?? (context.isQuick ? quickStarts : fullStarts);
  context.say("the image is made");
  const shipped = readShipped();
  const starts = await timeStarts(rounds, context);
  return report(shipped, starts, context);
}

async function timeStarts(rounds: number, { say }: BenchContext): Promise<Starts> {
  await using cluster = await startSimCluster({ name: "start", rolloutMs: 0 });
  // Of the hub that the workers belong to, and of a watcher that has the cluster to itself.
  await using redis = await startRedis();
  await using otherRedis = await startRedis();
  using key = sharedMarkKey();
  using folder = dataFolder();
  const kubeconfig = join(folder.path, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
  populate(cluster);
  const startOne: Start = (service, more = ["--redis-url", redis.url, ...key.args]) =>
    startProduct({ service, kubeconfig, args: more });
  const starts = new Map<string, number[]>();
  const took: Took = (what, sinceMs) =>
    void starts.set(what, [...(starts.get(what) ?? []), performance.now() - sinceMs]);
  const hubArgs = ["--redis-url", redis.url, ...key.args, "--debounce", "0", "--audit-interval", "0"];
  await using watcher = startOne("watcher", hubArgs);
  await watcher.inSync();
  const work = `${await watcher.healthUrl()}/work`;
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`);
    timeCommands(took);
    await timeWorker(startOne, { cluster, work, round, took });
    const alone = ["--redis-url", otherRedis.url, ...key.args];
    await timeService(() => startOne("watcher", alone), ["watcher: in sync", "inSync"], took);
    await timeService(() => startOne("dashboard"), ["dashboard: ready", "ready"], took);
    await timeService(() => startOne("standalone", []), ["standalone: in sync", "inSync"], took);
  }
  return starts;
}

type Start = (service: NonNullable<ProductOptions["service"]>, args?: readonly string[]) => Product;
type Took = (what: string, sinceMs: number) => void;

async function timeService(
  startIt: () => Product,
  [what, state]: readonly [string, "ready" | "inSync"],
  took: Took,
): Promise<void> {
  const sinceMs = performance.now();
  await using product = startIt();
  await product[state]();
  took(what, sinceMs);
}

function timeCommands(took: Took): void {
  const commands = [
    ["floor: an empty program ends", ["--eval", ""]],
    ["command line: --version ends", [commandLine, "--version"]],
  ] as const;
  for (const [what, args] of commands) {
    const sinceMs = performance.now();
    execFileSync(process.execPath, args, { stdio: "pipe" });
    took(what, sinceMs);
  }
}

/** A request waits when the worker starts, as where the scaler wakes one. Only a worker gets a Deployment: watchers list and watch. */
async function timeWorker(
  startOne: Start,
  world: {
    readonly cluster: SimCluster;
    readonly work: string;
    readonly round: number;
    readonly took: Took;
  },
): Promise<void> {
  const { cluster, round, took, work } = world;
  cluster.apply(configMap(`${round}`));
  await until("a request waits", async () => (await workAt(work)) > 0);
  cluster.resetCounters();
  const sinceMs = performance.now();
  await using _worker = startOne("worker");
  while (cluster.requestCount("get", "deployments").requests === 0) await wait(1);
  took(firstRequest, sinceMs);
  while (cluster.requestCount("patch", "deployments").requests === 0) await wait(1);
  took("worker: first PATCH", sinceMs);
  await until("nothing waits", async () => (await workAt(work)) === 0);
}

async function workAt(url: string): Promise<number> {
  const answer = parseJson(await (await fetch(url)).text());
  return Number(jsonField(answer, "work"));
}

const configMap = (value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace },
  data: { value },
});

function populate(cluster: SimCluster): void {
  cluster.apply(configMap("0"));
  cluster.apply({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "app", namespace, annotations: { "reloader.stakater.com/auto": "true" } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "app" } },
      template: {
        metadata: { labels: { app: "app" } },
        spec: {
          containers: [{ name: "app", image: "app:1", envFrom: [{ configMapRef: { name: "settings" } }] }],
        },
      },
    },
  });
}

function report(
  { bundledPackages, bundles, layers }: Shipped,
  starts: Starts,
  { isQuick }: BenchContext,
): Outcome {
  const spreads = [...starts].map(([what, values]): readonly [string, Spread] => [what, spreadOf(values)]);
  const worker = spreads.find(([what]) => what === firstRequest)?.[1].p95 ?? Number.NaN;
  return {
    tables: [
      {
        title: "the image, in MB; packed is what a node pulls",
        columns: ["layer", "unpacked", "packed"],
        rows: [...layers, totalOf(layers)].map(({ name, bytes, packedBytes }) => [
          name,
          ...[bytes, packedBytes].map((each) => figure(each / 1e6)),
        ]),
      },
      {
        title: `bundles, in KB, with parts of ${bundledPackages} npm packages`,
        columns: ["file", "KB"],
        rows: bundles.map(({ file, bytes }) => [file, figure(bytes / 1000)]),
      },
      {
        title: "ms from the start of the process, one at a time",
        columns: ["process", "starts", "p50", "p95", "max"],
        rows: spreads.map(([what, { count, p50, p95, max }]) => [
          what,
          String(count),
          ...[p50, p95, max].map(figure),
        ]),
      },
    ],
    marks: isQuick
      ? []
      : [
          {
            figure: "B23 worker start → first request, ms p95",
            limit: `≤ ${workerMarkMs}`,
            value: figure(worker),
            isMet: worker <= workerMarkMs,
          },
        ],
    notes: ["states are asked for every 20 ms, requests every ms"],
    measures: { bundledPackages, bundles, layers, starts: Object.fromEntries(starts) },
  };
}

function totalOf(layers: Shipped["layers"]): Shipped["layers"][number] {
  const sum = (of: "bytes" | "packedBytes") => layers.reduce((total, layer) => total + layer[of], 0);
  return { name: "all", bytes: sum("bytes"), packedBytes: sum("packedBytes") };
}
