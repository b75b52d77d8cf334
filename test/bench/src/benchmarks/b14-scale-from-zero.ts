import { setTimeout as wait } from "node:timers/promises";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { judgeRolls } from "../observer/judge.ts";
import type { Pair } from "../observer/methods.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { paceOf } from "../pace.ts";
import { figure } from "../report/table.ts";
import { spreadOf } from "../stats/percentile.ts";
import { seededRandom } from "../stats/random.ts";
import { type Hub, startHub } from "../tool/hub.ts";
import { createPairs } from "../world/pairs.ts";
import { createNamespaces } from "../world/populate.ts";

const fullRounds = 200;
const quickRounds = 4;
/** Whole installations side by side, each with its own Redis, watcher and scaler: most of a round is waiting. */
const fullLanes = 4;
const quickLanes = 2;
/** As the stand-in for KEDA asks; KEDA's own default is 30 s, the chart's 5 s. */
const pollMs = 1000;
/** Short, so that every round begins with no worker. */
const cooldownMs = 1000;
/** A change that has not rolled by then is stranded: nothing else would ever wake a worker. */
const strandedAfterMs = 60_000;

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
  const rounds = context.size ?? (context.isQuick ? quickRounds : fullRounds);
  const lanes = Array.from({ length: context.isQuick ? quickLanes : fullLanes }, (_, at) => `lane-${at}`);
  const { quietPeriodMs, settleMs } = paceOf(context);
  await using server = await context.startServer({ controllers: true });
  await createNamespaces(server, lanes);
  await using observer = await startObserver(server);
  const perLane = Math.ceil(rounds / lanes.length);
  const done = await Promise.all(
    lanes.map(async (namespace, at) => {
      const [pair] = await createPairs(server, { namespace, count: 1, optIn: "ours" });
      if (pair === undefined) throw new Error("no pair");
      await using hub = await startHub({
        server,
        namespace,
        pollMs,
        cooldownMs,
        args: paceOf(context).debounceArgs,
      });
      await adopted(observer, namespace, 1);
      return await runLane({ hub, observer, pair, context, rounds: perLane, seed: context.seed + at });
    }),
  );
  await observer.ask("settled", { quietMs: settleMs, timeoutMs: strandedAfterMs });
  for (const namespace of lanes)
    assertNoBug(
      namespace,
      judgeRolls(await observer.ask("rolls", namespace), () => perLane),
    );
  return report(done.flat(), { wanted: perLane * lanes.length, quietPeriodMs, isQuick: context.isQuick });
}

async function runLane(what: {
  readonly hub: Hub;
  readonly observer: Observer;
  readonly pair: Pair;
  readonly context: BenchContext;
  readonly rounds: number;
  readonly seed: number;
}): Promise<readonly Round[]> {
  const { hub, observer, pair, context, seed } = what;
  const { scaler } = hub;
  const random = seededRandom(seed);
  const rounds: Round[] = [];
  const allGone = () => until("no worker is left", () => scaler.processes === 0, strandedAfterMs);
  await allGone();
  for (let round = 0, wakesBefore = scaler.wakes; round < what.rounds; round += 1) {
    // The change comes anywhere between two questions of the scaler.
    await wait(pollMs * random());
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

function report(
  rounds: readonly Round[],
  { wanted, quietPeriodMs, isQuick }: { wanted: number; quietPeriodMs: number; isQuick: boolean },
): Outcome {
  const { count, p50, p95, p99, max } = spreadOf(rounds.map(({ rolledMs }) => rolledMs));
  const beyond = spreadOf(rounds.map(({ rolledMs }) => rolledMs - quietPeriodMs));
  const woken = rounds.filter(({ wakes }) => wakes === 1).length;
  return {
    tables: [
      {
        title: "Latency in ms, from no worker at all",
        columns: ["from → to", "rounds", "p50", "p95", "p99", "max"],
        rows: [
          ["write sent → roll seen", String(count), ...[p50, p95, p99, max].map(figure)],
          [
            "beyond the quiet period",
            String(count),
            ...[beyond.p50, beyond.p95, beyond.p99, beyond.max].map(figure),
          ],
        ],
      },
    ],
    marks: isQuick
      ? []
      : [
          {
            figure: "B14 rounds with one roll",
            limit: `all ${wanted}`,
            value: String(count),
            isMet: count === wanted,
          },
          {
            figure: "B14 rounds with one worker woken",
            limit: `all ${wanted}`,
            value: String(woken),
            isMet: woken === wanted,
          },
        ],
    notes: [
      `who scales asks every ${pollMs} ms and stops a worker after ${cooldownMs} ms without work; every round begins with no worker process`,
    ],
    measures: { rounds },
  };
}
