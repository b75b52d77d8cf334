import { startChromium } from "@fleet-reloader/page-tests/chromium";
import type { BenchContext, Benchmark, Mark, Outcome } from "../benchmark.ts";
import { timedAnswer } from "../browser/questions.ts";
import { type TimedPaint, timedPaint } from "../browser/timed-paint.ts";
import { figure } from "../report/table.ts";
import { spreadOf } from "../stats/percentile.ts";
import { fleetClusterName } from "../world/asked-fleet.ts";
import { openAskedHub } from "../world/asked-hub.ts";

const fullRepeats = 10;
const usefulMsMax = 1000;

/** The views that Redis alone answers: those of one object wait for a cluster. */
const views: readonly string[] = [
  "/",
  "/changes",
  "/changes?since=2h&namespace=team-7",
  "/changes/f1-77",
  "/clusters",
  "/queue",
  "/held",
  `/held?cluster=${fleetClusterName(7)}`,
  "/audit",
];

export const firstPaint: Benchmark = {
  id: "B27",
  title:
    "The page in Chromium: 1,000 clusters, 100,000 workloads, 10,000 changes; navigation → answer painted",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const { isQuick, say } = context;
  await using hub = await openAskedHub(context);
  await using stack = new AsyncDisposableStack();
  const { origin } = stack.use(await hub.startDashboard());
  // From the start of a process to its first answer is B21's.
  await timedAnswer(origin, "/status");
  const browser = await startChromium();
  stack.defer(() => browser.close());
  const paints: TimedPaint[] = [];
  for (let round = 1; round <= (isQuick ? 1 : fullRepeats); round += 1) {
    say(`round ${round}`);
    for (const view of views) paints.push(await timedPaint(browser, origin, view));
  }
  return report(paints, hub.isOfMark);
}

function report(paints: readonly TimedPaint[], isMark: boolean): Outcome {
  const byView = [...Map.groupBy(paints, ({ view }) => view)].map(([view, its]) => ({
    view,
    shell: spreadOf(its.map(({ shellMs }) => shellMs)),
    useful: spreadOf(its.map(({ usefulMs }) => usefulMs)),
    longestTaskMs: Math.max(...its.map(({ longestTaskMs }) => longestTaskMs)),
  }));
  const slowest = Math.max(...byView.map(({ useful }) => useful.p95));
  const mark: Mark = {
    figure: "B27 navigation → answer painted, p95 of the slowest view",
    limit: `≤ ${usefulMsMax} ms`,
    value: `${figure(slowest)} ms`,
    isMet: slowest <= usefulMsMax,
  };
  return {
    tables: [
      {
        title: `each view ${paints.length / byView.length} times, with an empty cache`,
        columns: ["view", "shell p50 ms", "answer p50 ms", "p95 ms", "longest task ms"],
        rows: byView.map(({ longestTaskMs, shell, useful, view }) => [
          view,
          ...[shell.p50, useful.p50, useful.p95, longestTaskMs].map(figure),
        ]),
      },
    ],
    marks: isMark ? [mark] : [],
    notes: ["shell: the first contentful paint; longest task: while the page loads, 0 when none took 50 ms"],
    measures: { paints },
  };
}
