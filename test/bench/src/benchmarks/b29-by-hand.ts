import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { judgeRolls } from "../observer/judge.ts";
import { adopted, startObserver } from "../observer/observer.ts";
import { paceOf } from "../pace.ts";
import { figure } from "../report/table.ts";
import { spreadOf } from "../stats/percentile.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { startOurs } from "../tool/ours.ts";
import { createPairs } from "../world/pairs.ts";
import { createNamespaces } from "../world/populate.ts";

const fullChanges = 40;
const quickChanges = 5;
/** Forty of them take ten minutes, as of a developer who tries one thing after the other. */
const fullEveryMs = 15_000;
const quickEveryMs = 2000;
/** A roll may come so much later than the quiet period ends. */
const lateMaxMs = 10_000;
const timeoutMs = 60_000;

export const byHand: Benchmark = {
  id: "B29",
  title:
    "40 changes of one ConfigMap in 10 minutes, debounce and breakers as shipped: each is rolled in time",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const { debounceArgs, quietPeriodMs, settleMs } = paceOf(context);
  const changes = context.size ?? (context.isQuick ? quickChanges : fullChanges);
  const everyMs = context.isQuick ? quickEveryMs : fullEveryMs;
  await using server = await context.startServer();
  await createNamespaces(server, ["ours"]);
  const [pair] = await createPairs(server, { namespace: "ours", count: 1, optIn: "ours" });
  if (pair === undefined) throw new Error("no Deployment was made");
  await using observer = await startObserver(server);
  using data = dataFolder();
  await using tool = await startOurs({
    server,
    dataDir: data.path,
    args: debounceArgs,
    breakers: "as shipped",
  });
  await adopted(observer, "ours", 1);
  await observer.ask("forget", undefined);
  context.say(`${changes} changes, one every ${everyMs / 1000} s`);
  const plan = Array.from({ length: changes }, (_, at) => ({ ...pair, atMs: at * everyMs }));
  const sent = await observer.ask("changeAsPlanned", plan);
  await observer.ask("settled", { quietMs: settleMs + everyMs, timeoutMs });
  const rolls = await observer.ask("rolls", "ours");
  await tool.stop();
  assertNoBug(
    "ours",
    judgeRolls(rolls, () => changes),
  );
  const times = rolls.get(pair.deployment) ?? [];
  return report(
    sent.map((sentMs, at) => (times[at] ?? Number.POSITIVE_INFINITY) - sentMs),
    quietPeriodMs,
    context,
  );
}

function report(tookMs: readonly number[], quietPeriodMs: number, { isQuick }: BenchContext): Outcome {
  const { count, p50, p95, max } = spreadOf(tookMs);
  const limitMs = quietPeriodMs + lateMaxMs;
  return {
    tables: [
      {
        title: "ms from a change by hand to its new template",
        columns: ["", "changes", "p50", "p95", "max"],
        rows: [["ours", String(count), ...[p50, p95, max].map(figure)]],
      },
    ],
    marks: isQuick
      ? []
      : [
          {
            figure: "B29 latest roll",
            limit: `≤ ${limitMs} ms`,
            value: `${figure(max)} ms`,
            isMet: max <= limitMs,
          },
        ],
    notes: [],
    measures: { tookMs },
  };
}
