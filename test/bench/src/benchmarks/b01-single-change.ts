import { setTimeout as wait } from "node:timers/promises";
import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { metered, type Usage } from "../meter/metered.ts";
import { judgeRolls } from "../observer/judge.ts";
import type { Pair } from "../observer/methods.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { type Pace, paceOf } from "../pace.ts";
import { figure, ratio } from "../report/table.ts";
import { requestNote, usageJson, usageTable } from "../report/usage-table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { median, spreadOf } from "../stats/percentile.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { startFloor } from "../tool/floor.ts";
import { startOurs } from "../tool/ours.ts";
import { startPeerModel } from "../tool/peer-model.ts";
import type { Tool, ToolName } from "../tool/tool.ts";
import { createPairs } from "../world/pairs.ts";
import { createNamespaces } from "../world/populate.ts";

/** Before measuring: compilers, connections and caches are warm in a process that has run for a day. */
const warmUp = 40;
/** Idle between changes; varied so that no timer of anybody's falls into step. */
const pauseMs = [20, 60] as const;
/** Longer than any roll takes, also by a busy machine. */
const missedAfterMs = 10_000;
const ownNamespace = "quiet";
const arms = ["ours", "peer model", "floor"] as const satisfies readonly ToolName[];
const namespaceOf = { ours: "one-ours", "peer model": "one-peer", floor: "one-floor" } as const;
const fullOrder: readonly ToolName[] = ["ours", "floor", "peer model", "peer model", "floor", "ours"];
const quickOrder: readonly ToolName[] = arms;

/** Found while measuring; without it the model's figure looks like a mistake. */
const consistentLists =
  "the peer model's lists wait up to 100 ms here: since 1.34 kube-apiserver answers a consistent list from its cache, once etcd has told how far that is";

interface Block {
  readonly arm: ToolName;
  readonly usage: Usage;
  readonly fromSend: readonly number[];
  readonly fromAnswer: readonly number[];
}

export const singleChange: Benchmark = {
  id: "B01",
  title: "One change, one idle Deployment: write → new template seen",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const changes = context.size ?? (context.isQuick ? 10 : 500);
  const order = context.isQuick ? quickOrder : fullOrder;
  const pace = paceOf(context);
  await using server = await context.startServer();
  await createNamespaces(server, [...Object.values(namespaceOf), ownNamespace]);
  for (const arm of arms) {
    await createPairs(server, { namespace: namespaceOf[arm], count: 1, optIn: arm });
  }
  const quietPairs = await createPairs(server, {
    namespace: ownNamespace,
    count: context.isQuick ? 3 : 40,
    optIn: "ours",
  });
  await using observer = await startObserver(server);
  using data = dataFolder();

  const blocks: Block[] = [];
  for (const [index, arm] of order.entries()) {
    context.say(`block ${index + 1} of ${order.length}: ${arm}`);
    await using tool = await start(arm, server, observer, data.path);
    blocks.push(
      await measure({
        tool,
        server,
        observer,
        changes: Math.ceil((changes * arms.length) / order.length),
        seed: context.seed + index,
        pace,
      }),
    );
    await tool.stop();
  }
  context.say("default debounce");
  const quiet = await measureQuiet({ server, observer, pairs: quietPairs, dataDir: data.path, pace });
  return report(blocks, quiet, context);
}

async function start(arm: ToolName, server: BenchServer, observer: Observer, dataDir: string): Promise<Tool> {
  if (arm === "floor") return await startFloor(server, { namespace: namespaceOf.floor, reads: true });
  if (arm === "peer model") return await startPeerModel({ server, namespaces: [namespaceOf[arm]] });
  const tool = await startOurs({ server, dataDir, args: ["--debounce=0"] });
  await adopted(observer, namespaceOf.ours, 1);
  return tool;
}

async function measure(what: {
  readonly tool: Tool;
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly changes: number;
  readonly seed: number;
  readonly pace: Pace;
}): Promise<Block> {
  const { tool, server, observer, changes, seed, pace } = what;
  const namespace = namespaceOf[tool.name];
  const pair = { namespace, configMap: "app-000000", deployment: "app-000000" };
  const change = (count: number) =>
    observer.ask("changeOneByOne", {
      pairs: Array(count).fill(pair),
      pauseMs,
      seed,
      timeoutMs: missedAfterMs,
    });
  await change(Math.min(warmUp, changes));
  await observer.ask("forget", undefined);
  const { result, usage } = await metered(tool, server, () => change(changes));
  await wait(pace.settleAtOnceMs);
  const seen = await observer.ask("rolls", namespace);
  assertNoBug(
    `${tool.name}, ${namespace}`,
    judgeRolls(seen, () => changes),
  );
  return {
    arm: tool.name,
    usage,
    fromSend: result.flatMap(({ fromSendMs }) => fromSendMs ?? []),
    fromAnswer: result.flatMap(({ fromAnswerMs }) => fromAnswerMs ?? []),
  };
}

/** With the default debounce: how much later than the quiet period. */
async function measureQuiet(what: {
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly pairs: readonly Pair[];
  readonly dataDir: string;
  readonly pace: Pace;
}): Promise<readonly number[]> {
  const { server, observer, pairs, dataDir, pace } = what;
  await using tool = await startOurs({ server, dataDir, args: pace.debounceArgs });
  await adopted(observer, ownNamespace, pairs.length);
  await observer.ask("forget", undefined);
  const plan = pairs.map((pair, at) => ({ ...pair, atMs: at * 150 }));
  const sent = await observer.ask("changeAsPlanned", plan);
  await observer.ask("settled", { quietMs: pace.settleMs, timeoutMs: 60_000 });
  const rolls = await observer.ask("rolls", ownNamespace);
  assertNoBug(
    "ours, default debounce",
    judgeRolls(rolls, () => 1),
  );
  await tool.stop();
  const times = pairs.map(
    (pair, at) => (rolls.get(pair.deployment)?.[0] ?? Number.NaN) - (sent[at] ?? Number.NaN),
  );
  return times.map((ms) => ms - pace.quietPeriodMs);
}

function report(
  blocks: readonly Block[],
  quiet: readonly number[],
  { isReal, isQuick }: BenchContext,
): Outcome {
  const of = (arm: ToolName) => blocks.filter((block) => block.arm === arm);
  const spread = (arm: ToolName, from: "fromSend" | "fromAnswer") =>
    spreadOf(of(arm).flatMap((block) => block[from]));
  const row = (label: string, values: readonly number[]) => {
    const { count, p50, p95, p99, max } = spreadOf(values);
    return [label, String(count), ...[p50, p95, p99, max].map(figure)];
  };
  const ours = spread("ours", "fromSend");
  const against = (arm: ToolName) => {
    const other = spread(arm, "fromSend");
    const ratios = (["p50", "p95", "p99", "max"] as const).map((at) => ratio(ours[at], other[at]));
    return [`ratio ours / ${arm}, sent → seen`, "", ...ratios];
  };
  const rows = (["fromSend", "fromAnswer"] as const).flatMap((from) => {
    const label = from === "fromSend" ? "write sent → seen" : "write answered → seen";
    return arms.map((arm) =>
      row(
        `${label}, ${arm}`,
        of(arm).flatMap((block) => block[from]),
      ),
    );
  });
  const marks: readonly Mark[] = [
    { figure: "B01 p50", limit: "≤ 10 ms", value: `${figure(ours.p50)} ms`, isMet: ours.p50 <= 10 },
    { figure: "B01 p99", limit: "≤ 30 ms", value: `${figure(ours.p99)} ms`, isMet: ours.p99 <= 30 },
  ];
  return {
    tables: [
      {
        title: "Latency in ms, --debounce=0",
        columns: ["from → to, arm", "changes", "p50", "p95", "p99", "max"],
        rows: [
          ...rows,
          against("peer model"),
          against("floor"),
          row(`default debounce, ours: beyond the quiet period`, quiet),
        ],
      },
      usageTable(
        "change",
        blocks.map(({ arm, usage, fromSend }, at) => ({
          arm: `${at + 1}: ${arm}`,
          usage,
          units: fromSend.length,
        })),
      ),
    ],
    // The marks were set on a real API server.
    marks: isReal && !isQuick ? marks : [],
    notes: [
      `p50 of the blocks in their order: ${blocks.map(({ arm, fromSend }) => `${arm} ${figure(median(fromSend))}`).join(", ")} (two blocks of one arm: the noise)`,
      "given, of another machine and API server: the peer 13.7 / 31.8 ms (p50 / p99), its unreleased rewrite 11.4 / 430",
      "floor: a client that only sees the event, reads both objects and sends the PATCH; what is above it is ours",
      ...(isReal ? [consistentLists] : []),
      ...blocks.slice(0, arms.length).map(({ arm, usage }) => requestNote(arm, usage)),
    ],
    measures: { blocks: blocks.map((block) => ({ ...block, usage: usageJson(block.usage) })), quiet },
  };
}
