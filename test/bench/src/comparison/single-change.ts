import type { BenchContext, Outcome } from "../benchmark.ts";
import { metered } from "../meter/metered.ts";
import type { Observer } from "../observer/observer.ts";
import { totalOf } from "../report/usage-table.ts";
import { median, percentile } from "../stats/percentile.ts";
import { startFloor } from "../tool/floor.ts";
import type { PeerProgram } from "../tool/peer.ts";
import type { Program } from "../tool/tool.ts";
import { type Arena, inTurn, judgeArm, measureWhole, openArena, startOursIn, startPeerIn } from "./arena.ts";
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
  await using arena = await openArena(context, peer, { [name]: [name] });
  const blocks = await inTurn({
    ...{ arena, rounds, say: context.say },
    measure: (arm) =>
      measureWhole(start(arm, arena), (tool) => measure(arm, tool, arena, { changes, seed: context.seed })),
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
  const change = (count: number) => changeTimes(observer, { arm, count, seed });
  await change(Math.min(warmUp, changes));
  await observer.ask("forget", undefined);
  const { result, usage } = await metered(tool, server, () => change(changes));
  await observer.ask("settled", { quietMs: pace.settleAtOnceMs, timeoutMs: missedAfterMs });
  const wrong = await judgeArm(arm, observer, () => changes);
  if (result.length === 0) throw new Error(`${arm}: no change was rolled within ${missedAfterMs} ms`);
  const latencies = {
    "write → new template, p50": median(result),
    "write → new template, p99": percentile(result, 0.99),
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
  return await measureWhole(startOursIn(arena, 1, pace.debounceArgs), async () => {
    await observer.ask("forget", undefined);
    const times = await changeTimes(observer, { arm: "ours", count: changes, seed: 1 });
    await observer.ask("settled", { quietMs: pace.settleMs, timeoutMs: 60_000 });
    await judgeArm("ours", observer, () => changes);
    return { changes, p50Ms: median(times) };
  });
}

/** From each write to its new template, in milliseconds; those that were not rolled are left out. */
async function changeTimes(
  observer: Observer,
  what: { readonly arm: Arm; readonly count: number; readonly seed: number },
): Promise<readonly number[]> {
  const pair = { namespace: what.arm, configMap: name, deployment: name };
  const changes = await observer.ask("changeOneByOne", {
    pairs: Array(what.count).fill(pair),
    ...{ pauseMs, seed: what.seed, timeoutMs: missedAfterMs },
  });
  return changes.flatMap(({ fromSendMs }) => fromSendMs ?? []);
}
