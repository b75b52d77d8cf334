import { setTimeout as wait } from "node:timers/promises";
import type { ChangeRecord } from "@fleet-reloader/engine/history/history";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisHistory } from "@fleet-reloader/redis/history/redis-history";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import type { BenchContext, Benchmark, Mark, Outcome } from "../benchmark.ts";
import { openBrowsers } from "../browser/browser.ts";
import { pageQuestions, type TimedAnswer, timedAnswer } from "../browser/questions.ts";
import { readProcess } from "../meter/process-tree.ts";
import { type SlowCommand, watchSlowest } from "../meter/redis-slowest.ts";
import { figure } from "../report/table.ts";
import { spreadOf } from "../stats/percentile.ts";
import { fleetClusterId, fleetClusterName } from "../world/asked-fleet.ts";
import { openAskedHub } from "../world/asked-hub.ts";

/** Of each question; so many that the slowest twentieth of all is more than one question. */
const fullRepeats = 20;
const fullBrowsers = 500;
const fullChanges = 20;
/** A page asks again no sooner than a second after its last answer, so each change finds all of them waiting for news. */
const changeEveryMs = 2500;
const kib = 1024;

export const dashboard: Benchmark = {
  id: "B21",
  title:
    "The dashboard of a hub: 1,000 clusters, 100,000 workloads, 10,000 changes of the last hour; 500 streams of news",
  run,
};

interface Measured {
  readonly firstAnswerMs: number;
  readonly answers: readonly TimedAnswer[];
  /** From the record of a change to the answer that shows it, of each browser and change. */
  readonly visibleMs: readonly number[];
  readonly rssMiB: { readonly first: number; readonly last: number; readonly peak: number };
  readonly slowest: readonly SlowCommand[];
}

async function run(context: BenchContext): Promise<Outcome> {
  const { isQuick, say } = context;
  await using hub = await openAskedHub(context);
  await using stack = new AsyncDisposableStack();
  const slowest = await watchSlowest(hub.redisUrl);
  stack.defer(() => slowest.close());
  const startedAt = performance.now();
  const { origin, pid } = stack.use(await hub.startDashboard());
  await timedAnswer(origin, "/status");
  const firstAnswerMs = performance.now() - startedAt;
  const first = readProcess(pid)?.rssMiB ?? Number.NaN;
  say("asking");
  const answers = await askAll(origin, isQuick ? 2 : fullRepeats);
  say("following");
  const browsers = isQuick ? 5 : fullBrowsers;
  const visibleMs = await changeAndSee(hub.redisUrl, origin, {
    browsers,
    changes: isQuick ? 2 : fullChanges,
  });
  const { rssMiB = Number.NaN, peakMiB = Number.NaN } = readProcess(pid) ?? {};
  const measured = {
    ...{ firstAnswerMs, answers, visibleMs },
    rssMiB: { first, last: rssMiB, peak: peakMiB },
    slowest: await slowest.slowest(),
  };
  return report(measured, browsers, hub.isOfMark);
}

/** In turn over all questions: what one of them leaves in memory does not serve it again at once. */
async function askAll(origin: string, repeats: number): Promise<readonly TimedAnswer[]> {
  const answers: TimedAnswer[] = [];
  for (let at = 0; at < repeats; at += 1)
    for (const question of pageQuestions) answers.push(await timedAnswer(origin, question));
  return answers;
}

/** Writes changes as a worker does, and waits until every browser shows each. */
async function changeAndSee(
  url: string,
  origin: string,
  { browsers: count, changes }: { readonly browsers: number; readonly changes: number },
): Promise<readonly number[]> {
  await using stack = new AsyncDisposableStack();
  const log = new CollectedLog();
  const client = stack.adopt(new RedisClient({ url }, log), (its) => its.close());
  await client.connection.client("SETNAME", "bench");
  const writing = { client, keys: new Keys("fleet-reloader"), clock: systemClock, log };
  const limits = { retentionMs: 7 * 24 * 3_600_000, lengthMax: 1_000_000, meter: new CountingMeter() };
  const history = stack.adopt(new RedisHistory({ ...writing, ...limits }), (its) => its.stop(1000));
  const browsers = await openBrowsers(origin, "/changes", count);
  stack.defer(() => {
    for (const browser of browsers) browser[Symbol.dispose]();
  });
  const visibleMs: number[] = [];
  for (let at = 0; at < changes; at += 1) {
    await wait(changeEveryMs);
    const shown = browsers.map((browser) => browser.shows(`f1-seen-${at}"`));
    const changedAt = performance.now();
    history.append([seenChange(at)]);
    for (const shownAt of await Promise.all(shown)) visibleMs.push(shownAt - changedAt);
  }
  return visibleMs;
}

function seenChange(at: number): ChangeRecord {
  const cluster = { id: fleetClusterId(at), name: fleetClusterName(at) };
  const source = { kind: "Secret", namespace: "team-1", name: `seen-${at}` } as const;
  const time = new Date(systemClock.now()).toISOString();
  const ids = { change: `${cluster.id}/seen@${at}`, fleetChange: `f1-seen-${at}`, resourceVersion: "8" };
  return { v: 1, type: "change", time, cluster, source, ...ids };
}

function report(measured: Measured, browsers: number, isMark: boolean): Outcome {
  const { answers, firstAnswerMs, rssMiB, slowest, visibleMs } = measured;
  const asked = spreadOf(answers.map(({ ms }) => ms));
  const visible = spreadOf(visibleMs);
  const largest = Math.max(...answers.map(({ bytes }) => bytes)) / kib;
  const slowestMs = slowest[0]?.ms ?? 0;
  const mark = (name: string, value: number, limit: number, unit: string): Mark => ({
    figure: `B21 ${name}`,
    limit: `≤ ${limit} ${unit}`,
    value: `${figure(value)} ${unit}`,
    isMet: value <= limit,
  });
  const byQuestion = Map.groupBy(answers, ({ question }) => question);
  return {
    tables: [
      {
        title: "each question, one at a time",
        columns: ["question", "p50 ms", "p95 ms", "max ms", "KiB"],
        rows: [...byQuestion].map(([question, its]) => {
          const { max, p50, p95 } = spreadOf(its.map(({ ms }) => ms));
          return [question, ...[p50, p95, max, (its[0]?.bytes ?? 0) / kib].map(figure)];
        }),
      },
      {
        title: `change recorded → shown, ${browsers} browsers, each with a stream of news and the question of its view`,
        columns: ["shown", "p50 ms", "p95 ms", "p99 ms", "max ms"],
        rows: [[String(visible.count), ...[visible.p50, visible.p95, visible.p99, visible.max].map(figure)]],
      },
    ],
    marks: isMark
      ? [
          mark("start → first answer", firstAnswerMs / 1000, 5, "s"),
          mark("any filter p95", Math.max(...worstShares(byQuestion)), 300, "ms"),
          mark("largest answer", largest, 200, "KiB"),
          mark("change → visible p99", visible.p99, 1000, "ms"),
          mark("memory at most", rssMiB.peak, 350, "MiB"),
          mark("slowest command at Redis", slowestMs, 5, "ms"),
        ]
      : [],
    notes: [
      `first answer after ${figure(firstAnswerMs / 1000)} s; all questions p95 ${figure(asked.p95)} ms`,
      `memory: ${figure(rssMiB.first)} MiB after the first answer, ${figure(rssMiB.last)} at the end, ${figure(rssMiB.peak)} at most`,
      `slowest at Redis: ${slowest
        .slice(0, 3)
        .map(({ ms, text }) => `${figure(ms)} ms ${text}`)
        .join("; ")}`,
    ],
    measures: measured,
  };
}

/** The p95 of each question. */
function worstShares(byQuestion: ReadonlyMap<string, readonly TimedAnswer[]>): readonly number[] {
  return [...byQuestion.values()].map((its) => spreadOf(its.map(({ ms }) => ms)).p95);
}
