import { setTimeout as wait } from "node:timers/promises";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { type BystanderMethods, type BystanderRequest, bystanderRate } from "../bystander/methods.ts";
import { type Child, orEnd, startChild } from "../child/child.ts";
import { judgeRolls } from "../observer/judge.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { paceOf } from "../pace.ts";
import { figure } from "../report/table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { type Spread, spreadOf } from "../stats/percentile.ts";
import { type Budget, budgetError, knownBudgets } from "../tool/budgets.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { patchAtPace } from "../tool/floor.ts";
import { startOurs } from "../tool/ours.ts";
import { optInOf } from "../tool/tool.ts";
import { configMap, deployment } from "../world/objects.ts";
import { createNamespaces, createObjects, numbered } from "../world/populate.ts";

const namespaces = 40;
const dependents = 1000;
const latencyShareMax = 0.2;
const budgetErrorMax = 0.1;
const source = "mirrored";
/** A thousand rolls at the pace of the budget, and a while. */
const timeoutMs = 200_000;
const calmSeconds = 20;
const askEveryMs = 500;
/** As many as the budget allows. */
const floorPerSecond = 20;

interface Round {
  readonly budget: Budget;
  readonly rolledAtSeconds: readonly number[];
  readonly calm: Spread;
  readonly during: Spread;
}

export const budget: Benchmark = {
  id: "B04",
  title:
    "One source in many namespaces changes, with a bystander on the same API server: its latency, and the budget",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const count = context.size ?? (context.isQuick ? 20 : dependents);
  const spaces = Array.from({ length: context.isQuick ? 4 : namespaces }, (_, at) => `team-${at}`);
  const each = Math.ceil(count / spaces.length);
  const { settleAtOnceMs } = paceOf(context);
  await using server = await context.startServer();
  await createNamespaces(server, [...spaces, "bystander"]);
  for (const namespace of spaces) await createMirror(server, namespace, each);
  await using observer = await startObserver(server);
  await using bystander = startChild<BystanderMethods>(new URL("../bystander/process.ts", import.meta.url));
  await orEnd(bystander, bystander.ask("open", { target: server.target, namespace: "bystander" }));
  using data = dataFolder();
  const seconds = context.isQuick ? 2 : calmSeconds;
  context.say(`floor: ${floorPerSecond} bare PATCHes/s, and nothing else`);
  const floor = await measureFloor({ server, bystander, spaces, seconds });
  const rounds: Round[] = [];
  for (const limit of knownBudgets()) {
    context.say(`budget: ${limit.name}`);
    await using tool = await startOurs({
      ...{ server, dataDir: data.path },
      args: ["--debounce=0", ...limit.args],
    });
    for (const namespace of spaces) await adopted(observer, namespace, each);
    rounds.push(
      await measure({ observer, bystander, spaces, budget: limit, seconds, settleMs: settleAtOnceMs }),
    );
    await tool.stop();
  }
  return report(rounds, floor, context);
}

/** What nobody can spare the bystander who rolls as many. */
async function measureFloor(what: {
  readonly server: BenchServer;
  readonly bystander: Child<BystanderMethods>;
  readonly spaces: readonly string[];
  readonly seconds: number;
}): Promise<Pick<Round, "calm" | "during">> {
  const { server, bystander, spaces, seconds } = what;
  const calm = await bystander.ask("work", { seconds });
  const working = bystander.ask("work", { seconds: undefined });
  const [first = ""] = numbered("app", 1);
  const targets = Array.from({ length: floorPerSecond * seconds }, (_, at) => ({
    namespace: spaces[at % spaces.length] ?? "",
    deployment: first,
  }));
  await patchAtPace(server, targets, floorPerSecond);
  await bystander.ask("rest", undefined);
  const spread = (asked: readonly BystanderRequest[]) => spreadOf(asked.map(({ ms }) => ms));
  return { calm: spread(calm), during: spread(await working) };
}

/** A source and Deployments that all use it. */
async function createMirror(server: BenchServer, namespace: string, count: number): Promise<void> {
  await createObjects(server, "ConfigMap", namespace, [source], (name) => configMap(name, 1024));
  const annotations = { [optInOf.ours]: "true" };
  const make = (name: string) => deployment({ name, configMaps: [source], annotations });
  await createObjects(server, "Deployment", namespace, numbered("app", count), make);
}

async function measure(what: {
  readonly observer: Observer;
  readonly bystander: Child<BystanderMethods>;
  readonly spaces: readonly string[];
  readonly budget: Budget;
  readonly seconds: number;
  readonly settleMs: number;
}): Promise<Round> {
  const { observer, bystander, spaces, seconds, settleMs } = what;
  const calm = await bystander.ask("work", { seconds });
  await observer.ask("forget", undefined);
  const working = bystander.ask("work", { seconds: undefined });
  const sent = await observer.ask(
    "changeAsPlanned",
    spaces.map((namespace) => ({ atMs: 0, namespace, configMap: source })),
  );
  await allRolled(observer, spaces);
  // A second roll for one change would be there by then.
  await observer.ask("settled", { quietMs: settleMs, timeoutMs });
  await bystander.ask("rest", undefined);
  const during = await working;
  const rolls = await Promise.all(spaces.map((namespace) => observer.ask("rolls", namespace)));
  for (const each of rolls) {
    assertNoBug(
      what.budget.name,
      judgeRolls(each, () => 1),
    );
  }
  const startedAt = Math.min(...sent);
  const rolledAtSeconds = rolls
    .flatMap((each) => [...each.values()].flat())
    .map((at) => (at - startedAt) / 1000)
    .toSorted((a, b) => a - b);
  const last = rolledAtSeconds.at(-1) ?? 0;
  // Only what the bystander asked while rolls went on.
  const meanwhile = during.filter(({ atSeconds }) => atSeconds <= last);
  return {
    budget: what.budget,
    rolledAtSeconds,
    calm: spreadOf(calm.map(({ ms }) => ms)),
    during: spreadOf(meanwhile.map(({ ms }) => ms)),
  };
}

/** A budget may pause for as long as it likes: what is missing when the time is up was missed. */
async function allRolled(observer: Observer, spaces: readonly string[]): Promise<void> {
  const isDone = async () => {
    // Asking takes its time of the same cores.
    await wait(askEveryMs);
    const rolls = await Promise.all(spaces.map((namespace) => observer.ask("rolls", namespace)));
    return rolls.every((each) => [...each.values()].every((times) => times.length > 0));
  };
  await until("every workload is rolled", isDone, timeoutMs).catch(() => undefined);
}

function report(
  rounds: readonly Round[],
  floor: Pick<Round, "calm" | "during">,
  { isQuick }: BenchContext,
): Outcome {
  const marks: readonly Mark[] = rounds.flatMap((round) => {
    const { perSecond, name } = round.budget;
    if (perSecond === undefined) return [];
    const error = budgetError(round.rolledAtSeconds, perSecond);
    const share = round.during.p99 / round.calm.p99 - 1;
    return [
      {
        figure: `B04 budget error, ${name}`,
        limit: `± ${budgetErrorMax * 100} %`,
        value: `${(error * 100).toFixed(1)} %`,
        isMet: Math.abs(error) <= budgetErrorMax,
      },
      {
        figure: `B04 bystander p99, ${name}`,
        limit: `≤ +${latencyShareMax * 100} %`,
        value: `${(share * 100).toFixed(0)} %`,
        isMet: share <= latencyShareMax,
      },
    ];
  });
  return {
    tables: [
      {
        title: `Rolls after one change in every namespace; a bystander with ${bystanderRate} requests/s, ms`,
        columns: ["budget", "rolls", "s to the last", "rolls/s", "calm p50", "p99", "meanwhile p50", "p99"],
        rows: [
          ...rounds.map(({ budget: { name }, rolledAtSeconds, calm, during }) => {
            const last = rolledAtSeconds.at(-1) ?? Number.NaN;
            const rolls = [last, rolledAtSeconds.length / last].map(figure);
            return [name, String(rolledAtSeconds.length), ...rolls, ...latencies({ calm, during })];
          }),
          [`floor: bare PATCHes`, "–", "–", figure(floorPerSecond), ...latencies(floor)],
        ],
      },
    ],
    marks: isQuick ? [] : marks,
    notes: rounds.length > 1 ? [] : ["this build of the product knows no budgets: no mark can be judged"],
    measures: { rounds, floor },
  };
}

function latencies({ calm, during }: Pick<Round, "calm" | "during">): readonly string[] {
  return [calm.p50, calm.p99, during.p50, during.p99].map(figure);
}
