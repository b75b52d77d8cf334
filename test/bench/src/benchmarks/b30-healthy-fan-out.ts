import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { metered, type Usage } from "../meter/metered.ts";
import { countClientCommands } from "../meter/redis-monitor.ts";
import { judgeRolls } from "../observer/judge.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { figure } from "../report/table.ts";
import { requestNote, usageJson, usageTable } from "../report/usage-table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { type Ours, startOurs } from "../tool/ours.ts";
import { optInOf } from "../tool/tool.ts";
import { configMap, deployment } from "../world/objects.ts";
import { createNamespaces, createObjects, numbered } from "../world/populate.ts";

const markDependents = 1000;
const source = "shared";
const rounds = 3;
const timeoutMs = 240_000;
const askedEveryMs = 1000;
/** Of one roll. */
const marks = { get: 0.1, patch: 1, event: 1, redis: 4 } as const;

interface Round {
  readonly usage: Usage;
  readonly redisCommands: number;
  /** Requests that were put back since the cluster's share of the slots was taken. */
  readonly busy: number;
}

export const healthyFanOut: Benchmark = {
  id: "B30",
  title: "One change, many dependents, until all rollouts are healthy: API calls and Redis calls of a roll",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const dependents = context.size ?? (context.isQuick ? 30 : markDependents);
  await using server = await context.startServer({ controllers: true });
  await createNamespaces(server, ["ours"]);
  await createObjects(server, "ConfigMap", "ours", [source], (name) => configMap(name, 1024));
  // No kubelet starts pods for the real controllers.
  const replicas = context.isReal ? 0 : 1;
  const annotations = { [optInOf.ours]: "true" };
  const make = (name: string) => deployment({ name, configMaps: [source], annotations, replicas });
  await createObjects(server, "Deployment", "ours", numbered("app", dependents), make);
  await using observer = await startObserver(server);
  using data = dataFolder();
  await using tool = await startOurs({ server, dataDir: data.path, args: ["--debounce=0"] });
  await adopted(observer, "ours", dependents);
  const measured: Round[] = [];
  for (let round = 1; round <= (context.isQuick ? 1 : rounds); round += 1) {
    context.say(`round ${round}`);
    measured.push(await measure({ tool, server, observer, dependents }));
  }
  await tool.stop();
  return report(dependents, measured);
}

async function measure(what: {
  readonly tool: Ours;
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly dependents: number;
}): Promise<Round> {
  const { tool, server, observer, dependents } = what;
  const healthy = () => tool.counted("fleet_reloader_rollouts_total", 'result="healthy"');
  const busy = () => tool.counted("fleet_reloader_requests_parked_total", 'reason="ClusterBusy"');
  const before = { healthy: await healthy(), busy: await busy() };
  await observer.ask("forget", undefined);
  const commands = await countClientCommands(tool.redisSocket ?? "");
  const { usage } = await metered(tool, server, async () => {
    await observer.ask("changeAsPlanned", [{ atMs: 0, namespace: "ours", configMap: source }]);
    // Each question costs the process some CPU and two commands to Redis.
    const areHealthy = async () => {
      await sleep(askedEveryMs);
      return (await healthy()) - before.healthy >= dependents;
    };
    await until("all rollouts are healthy", areHealthy, timeoutMs);
  });
  const redisCommands = commands.stop();
  const rolls = await observer.ask("rolls", "ours");
  assertNoBug(
    "ours",
    judgeRolls(rolls, () => 1),
  );
  return { usage, redisCommands, busy: (await busy()) - before.busy };
}

function report(dependents: number, measured: readonly Round[]): Outcome {
  const lines = measured.map((round) => callsOf(round, dependents));
  const last = lines.at(-1);
  return {
    tables: [
      {
        title: `Calls of a roll, of ${dependents} whose rollouts get healthy`,
        columns: ["round", "GET", "PATCH", "Event", "Redis", "ClusterBusy in all"],
        rows: lines.map(({ get, patch, event, redis, busy }, at) => [
          String(at + 1),
          ...[get, patch, event, redis].map(figure),
          String(busy),
        ]),
      },
      usageTable(
        "roll",
        measured.map(({ usage }, at) => ({ arm: `round ${at + 1}`, usage, units: dependents })),
      ),
    ],
    marks: last === undefined || dependents !== markDependents ? [] : marksOf(last),
    notes: [
      "GET: of sources and workloads; Redis: what clients send, scripts and commands, with those of an idle process in that time",
      ...measured.slice(-1).map(({ usage }) => requestNote("ours and the controllers", usage)),
    ],
    measures: { rounds: measured.map((round) => ({ ...round, usage: usageJson(round.usage) })) },
  };
}

interface Calls {
  readonly get: number;
  readonly patch: number;
  readonly event: number;
  readonly redis: number;
  readonly busy: number;
}

function callsOf({ usage, redisCommands, busy }: Round, dependents: number): Calls {
  const per = (keys: readonly string[]) =>
    keys.reduce((sum, key) => sum + (usage.requests.get(key)?.requests ?? 0), 0) / dependents;
  return {
    get: per(["get deployments", "get configmaps"]),
    patch: per(["patch deployments"]),
    event: per(["patch events", "create events"]),
    redis: redisCommands / dependents,
    busy,
  };
}

function marksOf(calls: Calls): readonly Mark[] {
  const perRoll = (["get", "patch", "event", "redis"] as const).map((name) => ({
    figure: `B30 ${name} calls of a roll`,
    limit: `≤ ${marks[name]}`,
    value: figure(calls[name]),
    isMet: calls[name] <= marks[name],
  }));
  const busy = {
    figure: "B30 parked as ClusterBusy",
    limit: "0",
    value: String(calls.busy),
    isMet: calls.busy === 0,
  };
  return [...perRoll, busy];
}
