import { setTimeout as wait } from "node:timers/promises";
import type { SourceVersion } from "@fleet-reloader/engine/ports/reference-index";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { rolledOut, startFleetServer } from "../fleet-server/fleet-server.ts";
import { problemsOf } from "../fleet-server/problems.ts";
import { readRedis } from "../meter/redis-info.ts";
import { countClientCommands } from "../meter/redis-monitor.ts";
import { figure } from "../report/table.ts";
import { type FleetHub, readFleetHub, startFleetHub } from "../tool/fleet-hub.ts";
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
      "commands per change: until the outcome of its rollout is told, less those of an idle hub in that time",
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
  const idle = await countDuring(hub, () => wait(isQuick ? 1000 : idleMs));
  await server.ask("forget", undefined);
  const all = server.contexts.map((_, index) => index);
  const count = clusters * used;
  const busy = await countDuring(hub, async () => {
    await server.ask("change", { clusters: all, perSecond: 20, count });
    await rolledOut(server, all, timeoutMs);
    await outcomesTold(hub, count);
  });
  assertNoBug("commands", problemsOf(await server.ask("outcome", all)));
  const perChange = (of: "sent" | "executed") =>
    (busy[of] - (idle[of] / idle.seconds) * busy.seconds) / count;
  return {
    idlePerSecond: idle.sent / idle.seconds,
    perChange: perChange("sent"),
    executedPerChange: perChange("executed"),
  };
}

/** Commands meanwhile: those that clients send, and all that Redis carries out, which includes those of scripts. */
async function countDuring(hub: FleetHub, work: () => Promise<unknown>) {
  const [before, beganAt] = [await readFleetHub(hub), performance.now()];
  const commands = await countClientCommands(hub.redis.port);
  await work();
  const sent = commands.stop();
  const seconds = (performance.now() - beganAt) / 1000;
  const executed = (await readFleetHub(hub)).redisCommands - before.redisCommands;
  return { sent, executed, seconds };
}

/** A roll is looked at for the first time after five seconds; asked seldom, since the question is a command too. */
async function outcomesTold({ redis }: FleetHub, count: number): Promise<void> {
  const client = new RedisClient({ url: redis.url }, new CollectedLog());
  try {
    const reader = new HistoryReader({ client, keys: new Keys("fleet-reloader") });
    for (const startedAt = performance.now(); performance.now() - startedAt < timeoutMs; await wait(2000)) {
      const told = new Set<string>();
      for await (const { record } of reader.read({ since: { ms: 0 }, limit: Number.POSITIVE_INFINITY }))
        if (record.type === "outcome") told.add(`${record.cluster?.id} ${record.workload.name}`);
      if (told.size >= count) return;
    }
    throw new Error(`not all of ${count} rollouts have an outcome within ${timeoutMs} ms`);
  } finally {
    await client.close();
  }
}
