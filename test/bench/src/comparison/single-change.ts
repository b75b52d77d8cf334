import type { BenchContext, Outcome } from "../benchmark.ts";
import { metered } from "../meter/metered.ts";
import { startObserver } from "../observer/observer.ts";
import { paceOf } from "../pace.ts";
import { totalOf } from "../report/usage-table.ts";
import { median, percentile } from "../stats/percentile.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { startFloor } from "../tool/floor.ts";
import type { PeerProgram } from "../tool/peer.ts";
import type { Program } from "../tool/tool.ts";
import { type Arena, inTurn, judgeArm, populate, startOursIn, startPeerIn } from "./arena.ts";
import type { Arm, Block, Comparison } from "./comparison.ts";
import { report } from "./report.ts";

/** Before measuring: compilers, connections and caches are warm in a process that has run for a day. */
const warmUp = 40;
/** Idle between changes; varied so that no timer of anybody's falls into step. */
const pauseMs = [20, 60] as const;
/** Longer than any roll takes, also by a busy machine. */
const missedAfterMs = 10_000;
const name = "app";

/** One change after the other of a source that one idle Deployment uses. */
export async function compareSingleChange(
  context: BenchContext,
  peer: PeerProgram | undefined,
): Promise<Outcome> {
  const changes = context.size ?? (context.isQuick ? 5 : 100);
  const rounds = context.isQuick ? 1 : 4;
  await using server = await context.startServer();
  await populate(server, peer, { [name]: [name] });
  await using observer = await startObserver(server);
  using data = dataFolder();
  const arena = { server, observer, dataDir: data.path, peer, pace: paceOf(context) };
  const blocks = await inTurn({
    ...{ peer, rounds, say: context.say },
    async measure(arm) {
      await using tool = await start(arm, arena);
      const block = await measure(arm, tool, arena, { changes, seed: context.seed });
      await tool.stop();
      return block;
    },
  });
  context.say("ours with its default debounce");
  const comparison: Comparison = {
    scenario: `${changes} changes of one ConfigMap, one after the other, in each of ${rounds} blocks an arm; each rolls one Deployment`,
    peer: peer?.name,
    figures: [
      { name: "write → new template, p50", unit: "ms" },
      { name: "write → new template, p99", unit: "ms" },
      { name: "CPU per change", unit: "ms" },
      { name: "API requests per change", unit: "" },
      { name: "memory", unit: "MiB" },
    ],
    blocks,
    defaultDebounce: await withDefaultDebounce(arena, context.isQuick ? 3 : 8),
  };
  return report(comparison, "floor: a client that sees the event and sends the PATCH, without a read");
}

async function start(arm: Arm, arena: Arena): Promise<Program> {
  if (arm === "floor") return await startFloor(arena.server, { namespace: arm, reads: false });
  if (arm === "peer") return await startPeerIn(arena);
  return await startOursIn(arena, 1, ["--debounce=0"]);
}

async function measure(
  arm: Arm,
  tool: Program,
  { server, observer, pace }: Arena,
  { changes, seed }: { readonly changes: number; readonly seed: number },
): Promise<Omit<Block, "arm" | "round">> {
  const change = (count: number) =>
    observer.ask("changeOneByOne", {
      pairs: Array(count).fill({ namespace: arm, configMap: name, deployment: name }),
      ...{ pauseMs, seed, timeoutMs: missedAfterMs },
    });
  await change(Math.min(warmUp, changes));
  await observer.ask("forget", undefined);
  const { result, usage } = await metered(tool, server, () => change(changes));
  await observer.ask("settled", { quietMs: pace.settleAtOnceMs, timeoutMs: missedAfterMs });
  const wrong = await judgeArm(arm, observer, () => changes);
  const times = result.flatMap(({ fromSendMs }) => fromSendMs ?? []);
  if (times.length === 0) throw new Error(`${arm}: no change was rolled within ${missedAfterMs} ms`);
  const latencies = {
    "write → new template, p50": median(times),
    "write → new template, p99": percentile(times, 0.99),
  };
  const costs = {
    "CPU per change": (usage.cpuSeconds * 1000) / changes,
    "API requests per change": totalOf(usage, "requests") / changes,
    memory: usage.rssMiB,
  };
  return { ...wrong, figures: arm === "floor" ? latencies : { ...latencies, ...costs } };
}

async function withDefaultDebounce(
  arena: Arena,
  changes: number,
): Promise<NonNullable<Comparison["defaultDebounce"]>> {
  const { observer, pace } = arena;
  await using tool = await startOursIn(arena, 1, pace.debounceArgs);
  await observer.ask("forget", undefined);
  const pair = { namespace: "ours", configMap: name, deployment: name };
  const result = await observer.ask("changeOneByOne", {
    pairs: Array(changes).fill(pair),
    ...{ pauseMs, seed: 1, timeoutMs: missedAfterMs },
  });
  await observer.ask("settled", { quietMs: pace.settleMs, timeoutMs: 60_000 });
  await judgeArm("ours", observer, () => changes);
  await tool.stop();
  return { changes, p50Ms: median(result.flatMap(({ fromSendMs }) => fromSendMs ?? [])) };
}
