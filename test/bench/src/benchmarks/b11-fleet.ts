import { setTimeout as wait } from "node:timers/promises";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { type FleetServer, rolledOut, startFleetServer, usualShape } from "../fleet-server/fleet-server.ts";
import { problemsOf } from "../fleet-server/problems.ts";
import { readProcess } from "../meter/process-tree.ts";
import { figure } from "../report/table.ts";
import { type Spread, spreadOf } from "../stats/percentile.ts";
import { describeFit, fitPower } from "../stats/power-fit.ts";
import { type FleetHub, type FleetHubReading, readFleetHub, startFleetHub } from "../tool/fleet-hub.ts";

const markClusters = 1000;
const markMiB = 450;
const markIdleCores = 0.5;
const markSlope = 1.05;
const quietPeriodMs = 2000;
/** Of each cluster; the fleet as a whole is changed no quicker than two cores can follow with server, worker and Redis on them. */
const changesPerSecond = 0.1;
const changesPerSecondMax = 100;
const adoptedTimeoutMs = 480_000;
const rolledTimeoutMs = 120_000;

interface Sample {
  readonly clusters: number;
  readonly isTls: boolean;
  readonly readySeconds: number;
  readonly listed: number;
  readonly sockets: number;
  readonly watches: number;
  readonly idle: FleetHubReading;
  readonly idleCores: number;
  readonly load: {
    readonly perSecond: number;
    readonly beyondQuietMs: Spread;
    readonly watcherCores: number;
    readonly workerCores: number;
    readonly redisCores: number;
    readonly serverCores: number;
    readonly watcherMiB: number;
    readonly watcherPeakMiB: number;
  };
}

export const fleet: Benchmark = {
  id: "B11",
  title: "A fleet in one watcher: memory, CPU and latency over the number of clusters of 1,000 objects",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const most = context.size ?? (context.isQuick ? 4 : markClusters);
  const sizes = context.isQuick ? [1, most] : [most / 100, most / 10, (most * 3) / 10, most].map(Math.ceil);
  const samples: Sample[] = [];
  for (const clusters of sizes) samples.push(await measure(context, clusters, true));
  // The same without TLS: then there is no HTTP/2 either, and each watch has a connection of its own.
  samples.push(await measure(context, sizes[1] ?? most, false));
  return report(samples, most, context);
}

async function measure(context: BenchContext, clusters: number, isTls: boolean): Promise<Sample> {
  const { say, isQuick } = context;
  say(`${clusters} clusters, ${isTls ? "TLS" : "plain HTTP"}`);
  await using server = await startFleetServer({
    ...usualShape,
    ...(isQuick ? { configMaps: 20, secrets: 20, bystanders: 5, used: 5 } : {}),
    ...{ clusters, isTls, patchMs: 0, isPortEach: false },
  });
  await using hub = await startFleetHub({
    kubeconfig: server.kubeconfigPath,
    contexts: server.contexts,
    workers: 0,
  });
  const listed = [...(await server.ask("requests", undefined))]
    .filter(([key]) => key.startsWith("list "))
    .reduce((sum, [, { requests }]) => sum + requests, 0);
  say(`in sync after ${figure(hub.readyMs / 1000)} s; workers adopt`);
  await hub.addWorker();
  const used = clusters * (isQuick ? 5 : usualShape.used);
  await until(
    "all workloads are adopted",
    async () => (await server.ask("adopted", undefined)) >= used,
    adoptedTimeoutMs,
  );
  // Compilers and collectors come to rest, and connections that nobody needs any more are closed.
  await wait(isQuick ? 500 : 70_000);
  const idleMs = isQuick ? 1000 : 30_000;
  const before = await readFleetHub(hub);
  await wait(idleMs);
  const idle = await readFleetHub(hub);
  return {
    ...{ clusters, isTls, listed, idle },
    readySeconds: hub.readyMs / 1000,
    sockets: await server.ask("sockets", undefined),
    watches: await server.ask("openWatches", undefined),
    idleCores: (idle.watcherCpu - before.watcherCpu) / (idleMs / 1000),
    load: await underLoad(server, hub, isQuick),
  };
}

async function underLoad(server: FleetServer, hub: FleetHub, isQuick: boolean): Promise<Sample["load"]> {
  const clusters = server.contexts.map((_, index) => index);
  const perSecond = Math.min(changesPerSecondMax, clusters.length * changesPerSecond);
  const count = Math.ceil(perSecond * (isQuick ? 20 : 60));
  await server.ask("forget", undefined);
  const serverCpu = () => readProcess(server.pid)?.cpuSeconds ?? 0;
  const [before, serverBefore, beganAt] = [await readFleetHub(hub), serverCpu(), performance.now()];
  await server.ask("change", { clusters, perSecond, count });
  await rolledOut(server, clusters, rolledTimeoutMs);
  // A second roll for one change would be there by then.
  await wait(2 * quietPeriodMs);
  const seconds = (performance.now() - beganAt) / 1000;
  const after = await readFleetHub(hub);
  const outcome = await server.ask("outcome", clusters);
  assertNoBug(`${clusters.length} clusters`, problemsOf(outcome));
  return {
    perSecond,
    beyondQuietMs: spreadOf(outcome.latenciesMs.map((ms) => ms - quietPeriodMs)),
    watcherCores: (after.watcherCpu - before.watcherCpu) / seconds,
    workerCores: (after.workerCpu - before.workerCpu) / seconds,
    redisCores: (after.redisCpu - before.redisCpu) / seconds,
    serverCores: (serverCpu() - serverBefore) / seconds,
    watcherMiB: after.watcherMiB,
    watcherPeakMiB: after.watcherPeakMiB,
  };
}

function report(samples: readonly Sample[], most: number, { isQuick }: BenchContext): Outcome {
  const overTls = samples.filter(({ isTls }) => isTls);
  const largest = overTls.at(-1);
  const mib = Math.max(largest?.idle.watcherMiB ?? Number.NaN, largest?.load.watcherMiB ?? Number.NaN);
  const idleCores = largest?.idleCores ?? Number.NaN;
  const fits = {
    memory: fitPower(overTls.map(({ clusters, idle }) => ({ n: clusters, cost: idle.watcherMiB }))),
    cpu: fitPower(overTls.map(({ clusters, load }) => ({ n: clusters, cost: load.watcherCores }))),
  };
  const marks: readonly Mark[] = [
    {
      figure: `B11 ${most} clusters, resident memory of the watcher, idle and after load`,
      limit: `≤ ${markMiB} MiB`,
      value: `${figure(mib)} MiB`,
      isMet: mib <= markMiB,
    },
    {
      figure: `B11 ${most} clusters, idle`,
      limit: `≤ ${markIdleCores} cores`,
      value: `${figure(idleCores)} cores`,
      isMet: idleCores <= markIdleCores,
    },
    ...(["memory", "cpu"] as const).map((name) => {
      const fit = fits[name];
      const isMet = fit !== undefined && (fit.isFlat || fit.s <= markSlope);
      return {
        figure: `B11 slope of ${name}`,
        limit: `≤ ${markSlope}`,
        value: fit?.s.toFixed(2) ?? "–",
        isMet,
      };
    }),
  ];
  return {
    tables: [memoryTable(samples), loadTable(samples)],
    marks: isQuick || most !== markClusters ? [] : marks,
    notes: [
      `memory of the watcher, idle: ${describeFit(fits.memory, "MiB")}`,
      `CPU of the watcher under load: ${describeFit(fits.cpu, "cores")}`,
      "clusters are simulated by one process on the same machine; objects are made when they are asked for",
    ],
    measures: { samples, fits },
  };
}

const nameOf = ({ clusters, isTls }: Sample) => `${clusters}, ${isTls ? "TLS, HTTP/2" : "plain, HTTP/1.1"}`;

function memoryTable(samples: readonly Sample[]) {
  return {
    title: "A watcher in sync and idle",
    columns: [
      "clusters",
      "MiB",
      "peak MiB",
      "cores",
      "s to in sync",
      "lists",
      "watches",
      "server sockets",
      "Redis MiB",
    ],
    rows: samples.map((sample) => [
      nameOf(sample),
      ...[sample.idle.watcherMiB, sample.idle.watcherPeakMiB, sample.idleCores, sample.readySeconds].map(
        figure,
      ),
      ...[sample.listed, sample.watches, sample.sockets].map(String),
      figure(sample.idle.redisMiB),
    ]),
  };
}

function loadTable(samples: readonly Sample[]) {
  return {
    title: `Under load, ${changesPerSecond} changes/s in each cluster and ${changesPerSecondMax} in all at most; ms from change to PATCH beyond the quiet period`,
    columns: [
      "clusters",
      "changes/s",
      "p50",
      "p99",
      "max",
      "cores watcher",
      "worker",
      "Redis",
      "server",
      "MiB after",
      "peak MiB",
      "worker MiB",
    ],
    rows: samples.map((sample) => {
      const { load } = sample;
      const { p50, p99, max } = load.beyondQuietMs;
      const cores = [load.watcherCores, load.workerCores, load.redisCores, load.serverCores];
      return [
        nameOf(sample),
        ...[load.perSecond, p50, p99, max, ...cores].map(figure),
        ...[load.watcherMiB, load.watcherPeakMiB, sample.idle.workerMiB].map(figure),
      ];
    }),
  };
}
