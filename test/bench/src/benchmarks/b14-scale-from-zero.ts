import { setTimeout as wait } from "node:timers/promises";
import { onPath } from "@fleet-reloader/control-plane/go-tool";
import { startKeda } from "@fleet-reloader/keda/start-keda";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { judgeRolls } from "../observer/judge.ts";
import type { Pair } from "../observer/methods.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { paceOf } from "../pace.ts";
import { figure } from "../report/table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { type Spread, spreadOf } from "../stats/percentile.ts";
import { seededRandom } from "../stats/random.ts";
import { type ScaledHub, startHub } from "../tool/hub.ts";
import { startKedaHub } from "../tool/keda-hub.ts";
import { createPairs } from "../world/pairs.ts";
import { createNamespaces } from "../world/populate.ts";

const fullRounds = 200;
const quickRounds = 4;
/** Whole installations side by side, each with its own Redis, watcher and scaler: most of a round is waiting. */
const fullLanes = 4;
const quickLanes = 2;
/** A change that has not rolled by then is stranded: nothing else would ever wake a worker. */
const strandedAfterMs = 60_000;

/** Who starts and stops the workers. */
interface Way {
  readonly name: "push" | "poll" | "stand-in";
  readonly told: string;
  /** Of the rounds; the question is the same for each of them. */
  readonly share: number;
  /** How often it asks. KEDA's own default is 30 s, the chart's 5 s. */
  readonly pollMs: number;
  /** Short, so that every round begins with no worker soon. */
  readonly cooldownMs: number;
  /** 95 % of the rounds have rolled so long after the quiet period. Of the stand-in nothing is promised. */
  readonly promisedMs?: number;
}

const keda = { pollMs: 5000, cooldownMs: 5000 };
const withKeda: readonly Way[] = [
  { ...keda, name: "push", told: "KEDA, pushed to", share: 1, promisedMs: 1000 },
  { ...keda, name: "poll", told: "KEDA, polling", share: 1 / 4, promisedMs: 6000 },
];
const withoutKeda: readonly Way[] = [
  {
    name: "stand-in",
    told: "a stand-in that polls",
    share: 1,
    pollMs: 1000,
    cooldownMs: 1000,
  },
];

interface Round {
  readonly rolledMs: number;
  readonly wakes: number;
}

export const scaleFromZero: Benchmark = {
  id: "B14",
  title:
    "No worker is up, a ConfigMap changes, default debounce: a worker is woken, one roll, no worker again",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  // Where Go is missing nobody can build KEDA.
  const isScaledByKeda = context.isReal && onPath("go") !== undefined;
  await using server = await context.startServer({ controllers: true, autoscaling: isScaledByKeda });
  await using _keda = isScaledByKeda ? await startKeda(server) : undefined;
  await using observer = await startObserver(server);
  const measured: Measured[] = [];
  for (const way of isScaledByKeda ? withKeda : withoutKeda)
    measured.push(await measure(way, { context, server, observer }));
  return report(measured, context);
}

interface Bed {
  readonly context: BenchContext;
  readonly server: BenchServer;
  readonly observer: Observer;
}

interface Measured {
  readonly way: Way;
  readonly wanted: number;
  readonly rounds: readonly Round[];
}

async function measure(way: Way, bed: Bed): Promise<Measured> {
  const { context, observer, server } = bed;
  const rounds = Math.ceil((context.size ?? (context.isQuick ? quickRounds : fullRounds)) * way.share);
  const count = Math.min(rounds, context.isQuick ? quickLanes : fullLanes);
  const lanes = Array.from({ length: count }, (_, at) => `${way.name}-${at}`);
  await createNamespaces(server, lanes);
  const perLane = Math.ceil(rounds / lanes.length);
  const done = await Promise.all(
    lanes.map(async (namespace, at) => {
      const [pair] = await createPairs(server, { namespace, count: 1, optIn: "ours", replicas: 0 });
      if (pair === undefined) throw new Error("no pair");
      await using hub = await startWay(way, namespace, bed);
      await adopted(observer, namespace, 1);
      const seed = context.seed + at;
      const lane = await runLane({ way, hub, observer, pair, context, rounds: perLane, seed });
      return { ...pair, lane };
    }),
  );
  await observer.ask("settled", { quietMs: paceOf(context).settleMs, timeoutMs: strandedAfterMs });
  for (const { deployment, namespace } of done) {
    const rolls = await observer.ask("rolls", namespace);
    // With KEDA the workers have a Deployment beside it, which never rolls.
    assertNoBug(
      namespace,
      judgeRolls(rolls, (name) => (name === deployment ? perLane : 0)),
    );
  }
  return { way, wanted: perLane * lanes.length, rounds: done.flatMap(({ lane }) => lane) };
}

async function startWay(way: Way, namespace: string, { context, server }: Bed): Promise<ScaledHub> {
  const { cooldownMs, name, pollMs } = way;
  const args = paceOf(context).debounceArgs;
  if (name === "stand-in") return await startHub({ server, namespace, pollMs, cooldownMs, args });
  return await startKedaHub({ server, namespace, trigger: name, cooldownSeconds: cooldownMs / 1000, args });
}

async function runLane(what: {
  readonly way: Way;
  readonly hub: ScaledHub;
  readonly observer: Observer;
  readonly pair: Pair;
  readonly context: BenchContext;
  readonly rounds: number;
  readonly seed: number;
}): Promise<readonly Round[]> {
  const { way, hub, observer, pair, context, seed } = what;
  const { scaler } = hub;
  const random = seededRandom(seed);
  const rounds: Round[] = [];
  const allGone = () => until("no worker is left", () => scaler.processes === 0, strandedAfterMs);
  await allGone();
  for (let round = 0, wakesBefore = scaler.wakes; round < what.rounds; round += 1) {
    // The change comes anywhere between two questions of the scaler.
    await wait(way.pollMs * random());
    const [change] = await observer.ask("changeOneByOne", {
      ...{ pairs: [pair], pauseMs: [0, 0], seed },
      timeoutMs: strandedAfterMs,
    });
    const rolledMs = change?.fromSendMs;
    // A worker that is woken again, for a look at the rollout for example, is one of this round, too.
    await allGone();
    if (rolledMs === undefined) assertNoBug(pair.namespace, [`stranded: round ${round} did not roll`]);
    else rounds.push({ rolledMs, wakes: scaler.wakes - wakesBefore });
    wakesBefore = scaler.wakes;
    if (round % 10 === 9) context.say(`${pair.namespace}: ${round + 1} of ${what.rounds} rounds`);
  }
  return rounds;
}

function report(measured: readonly Measured[], { isQuick, ...context }: BenchContext): Outcome {
  const { quietPeriodMs } = paceOf({ isQuick, ...context });
  const spread = ({ rounds }: Measured, from: number) =>
    spreadOf(rounds.map(({ rolledMs }) => rolledMs - from));
  const row = (what: string, { count, p50, p95, p99, max }: Spread) => [
    what,
    String(count),
    ...[p50, p95, p99, max].map(figure),
  ];
  return {
    tables: measured.map((one) => ({
      title: `Latency in ms, from no worker at all; who scales: ${one.way.told}`,
      columns: ["from → to", "rounds", "p50", "p95", "p99", "max"],
      rows: [
        row("write sent → roll seen", spread(one, 0)),
        row("beyond the quiet period", spread(one, quietPeriodMs)),
      ],
    })),
    marks: isQuick ? [] : measured.flatMap((one) => marksOf(one, spread(one, quietPeriodMs).p95)),
    notes: measured.map(
      ({ way }) =>
        `${way.told}: it asks every ${way.pollMs} ms and stops a worker after ${way.cooldownMs} ms without work; every round begins with no worker process`,
    ),
    measures: { measured: measured.map(({ rounds, way }) => ({ way: way.name, rounds })) },
  };
}

function marksOf({ rounds, wanted, way }: Measured, beyondMs: number): readonly Mark[] {
  const woken = rounds.filter(({ wakes }) => wakes === 1).length;
  const all = (what: string, count: number) => ({
    figure: `B14 ${way.name}: rounds with one ${what}`,
    limit: `all ${wanted}`,
    value: String(count),
    isMet: count === wanted,
  });
  const counted = [all("roll", rounds.length), all("worker woken", woken)];
  const { promisedMs } = way;
  if (promisedMs === undefined) return counted;
  const prompt = {
    figure: `B14 ${way.name}: rolled after the quiet period, p95`,
    limit: `${promisedMs} ms`,
    value: `${figure(beyondMs)} ms`,
    isMet: beyondMs <= promisedMs,
  };
  return [...counted, prompt];
}
