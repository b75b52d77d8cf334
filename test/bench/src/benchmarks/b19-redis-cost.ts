import { setTimeout as wait } from "node:timers/promises";
import type { SourceVersion } from "@fleet-reloader/engine/reference-index";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { rolledOut, startFleetServer } from "../fleet-server/fleet-server.ts";
import { problemsOf } from "../fleet-server/problems.ts";
import { readRedis } from "../meter/redis-info.ts";
import { countClientCommands } from "../meter/redis-monitor.ts";
import { figure } from "../report/table.ts";
import { readFleetHub, startFleetHub } from "../tool/fleet-hub.ts";
import { benchCluster, openRedisParts } from "../tool/redis-parts.ts";

const markCount = 10_000;
const configBytesMax = 250;
const pendingBytesMax = 400;
const commandsMax = 12;
const pageSize = 500;
const idleMs = 10_000;
const timeoutMs = 120_000;
/** Nothing of the queue becomes due while it is measured. */
const quietPeriodMs = 3_600_000;

export const redisCost: Benchmark = {
  id: "B19",
  title: "What Redis holds for each config and each pending request, and how many commands a change takes",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const count = context.size ?? (context.isQuick ? 200 : markCount);
  const { configBytes, pendingBytes } = await measureBytes(context, count);
  const commands = await measureCommands(context);
  const mark = (name: string, value: number, limit: number, unit: string) => ({
    figure: `B19 ${name}`,
    limit: `≤ ${limit}${unit}`,
    value: `${figure(value)}${unit}`,
    isMet: value <= limit,
  });
  return {
    tables: [
      {
        title: `${count} configs, each used by one workload, and ${count} pending requests; commands of a change that rolls one workload`,
        columns: [
          "B per config",
          "B per pending",
          "commands per change",
          "with those of scripts",
          "commands/s idle",
        ],
        rows: [
          [
            configBytes,
            pendingBytes,
            commands.perChange,
            commands.executedPerChange,
            commands.idlePerSecond,
          ].map(figure),
        ],
      },
    ],
    marks: context.isQuick
      ? []
      : [
          mark("Redis per config", configBytes, configBytesMax, " B"),
          mark("Redis per pending request", pendingBytes, pendingBytesMax, " B"),
          mark("commands per change", commands.perChange, commandsMax, ""),
        ],
    notes: [
      "per config: its reference, the entry of the workload that uses it, and its checkpoint",
      "commands per change: what clients send, less what an idle hub sends meanwhile",
    ],
    measures: { count, configBytes, pendingBytes, commands },
  };
}

async function measureBytes({ say }: BenchContext, count: number) {
  say(`${count} configs and pending requests`);
  await using redis = await startRedis();
  await using parts = await openRedisParts(redis.url);
  const usedBytes = async () => (await readRedis(redis.port)).usedMiB * 1024 * 1024;
  const empty = await usedBytes();
  for (let from = 0; from < count; from += pageSize) {
    const page = Array.from({ length: Math.min(pageSize, count - from) }, (_, at) => from + at);
    await parts.index.put(
      page.map((at) => ({
        workload: workloadRef(at),
        sources: [`ConfigMap/team-${at % 10}/settings-${at}`],
        ...{ patterns: [], scope: "", window: {} },
      })),
    );
    await parts.index.markPublished(page.map(workloadRef));
    await parts.index.markHandled(page.map(sourceVersion));
  }
  const indexed = await usedBytes();
  for (let from = 0; from < count; from += pageSize) {
    const page = Array.from({ length: Math.min(pageSize, count - from) }, (_, at) => from + at);
    await parts.queue.add(
      page.map((at) => ({
        request: { cluster: benchCluster, workload: workloadRef(at) },
        ...{ quietPeriodMs, maxWaitMs: quietPeriodMs, purpose: "change" },
      })),
    );
  }
  return { configBytes: (indexed - empty) / count, pendingBytes: ((await usedBytes()) - indexed) / count };
}

function workloadRef(at: number) {
  return { kind: "Deployment", namespace: `team-${at % 10}`, name: `app-${at}` };
}

function sourceVersion(at: number): SourceVersion {
  const ref = { kind: "ConfigMap", namespace: `team-${at % 10}`, name: `settings-${at}` } as const;
  return { ref, resourceVersion: String(123_456_000 + at) };
}

async function measureCommands({ say, isQuick }: BenchContext) {
  say("commands of changes");
  const [clusters, used] = [2, isQuick ? 10 : 100];
  await using server = await startFleetServer({
    ...{ clusters, used, bystanders: 0, configMaps: 0, secrets: 0 },
    ...{ isTls: false, patchMs: 0, isPortEach: false },
  });
  await using hub = await startFleetHub({
    ...{ kubeconfig: server.kubeconfigPath, contexts: server.contexts, workers: 1 },
  });
  await until("adopted", async () => (await server.ask("adopted", undefined)) >= clusters * used, timeoutMs);
  await wait(isQuick ? 500 : 5000);
  const idleFor = await countClientCommands(hub.redis.port);
  const forMs = isQuick ? 1000 : idleMs;
  await wait(forMs);
  const idlePerSecond = idleFor.stop() / (forMs / 1000);
  await server.ask("forget", undefined);
  const [before, beganAt] = [await readFleetHub(hub), performance.now()];
  const commands = await countClientCommands(hub.redis.port);
  const all = server.contexts.map((_, index) => index);
  const count = clusters * used;
  await server.ask("change", { clusters: all, perSecond: 20, count });
  await rolledOut(server, all, timeoutMs);
  await wait(2000);
  const sent = commands.stop() - (idlePerSecond * (performance.now() - beganAt)) / 1000;
  const after = await readFleetHub(hub);
  assertNoBug("commands", problemsOf(await server.ask("outcome", all)));
  const executed = after.redisCommands - before.redisCommands;
  return { idlePerSecond, perChange: sent / count, executedPerChange: executed / count };
}
