import type { BenchContext, Outcome } from "../benchmark.ts";
import { allRolled } from "../benchmarks/b03-fan-out.ts";
import { metered } from "../meter/metered.ts";
import { totalOf } from "../report/usage-table.ts";
import { floorInFlight, measureFloor } from "../tool/floor.ts";
import type { PeerProgram } from "../tool/peer.ts";
import type { Program } from "../tool/tool.ts";
import { numbered } from "../world/populate.ts";
import { type Arena, inTurn, judgeArm, measureWhole, openArena, startOursIn, startPeerIn } from "./arena.ts";
import type { Block, Comparison } from "./comparison.ts";
import { report } from "./report.ts";

const source = "shared";
/** A smaller fan-out before the measured one: what runs for the first time is slower. */
const warmSource = "warm";
const warmUsers = numbered(warmSource, 20);

/** One change of a source that many Deployments use. */
export async function compareFanOut(context: BenchContext, peer: PeerProgram | undefined): Promise<Outcome> {
  const users = numbered("app", context.size ?? (context.isQuick ? 10 : 200));
  const rounds = context.isQuick ? 1 : 3;
  await using arena = await openArena(context, peer, { [source]: users, [warmSource]: warmUsers });
  context.say("warming the API server up");
  const bare = () => measureFloor(arena.server, { namespace: "floor", deployments: users });
  await bare();
  const blocks = await inTurn({
    ...{ arena, rounds, say: context.say },
    async measure(arm) {
      if (arm === "floor")
        return { figures: { "last new template": (await bare()).seconds }, missed: 0, spurious: 0 };
      const starting =
        arm === "peer"
          ? startPeerIn(arena)
          : startOursIn(arena, users.length + warmUsers.length, ["--debounce=0"]);
      return await measureWhole(starting, (tool) => measure(arm, tool, arena, users.length));
    },
  });
  const comparison: Comparison = {
    scenario: `one change of one ConfigMap that ${users.length} Deployments use, in each of ${rounds} blocks an arm`,
    peer: peer?.name,
    figures: [
      { name: "last new template", unit: "s" },
      { name: "CPU per roll", unit: "ms" },
      { name: "API requests per roll", unit: "" },
      { name: "memory", unit: "MiB" },
    ],
    blocks,
    defaultDebounce: undefined,
  };
  return report(comparison, `floor: bare PATCHes, ${floorInFlight} in flight`);
}

async function measure(
  arm: "ours" | "peer",
  tool: Program,
  { server, observer, pace }: Arena,
  dependents: number,
): Promise<Omit<Block, "arm" | "round">> {
  const quietMs = Math.min(pace.settleAtOnceMs, 500);
  const change = async (configMap: string, count: number): Promise<number> => {
    await observer.ask("forget", undefined);
    const [sentAt = 0] = await observer.ask("changeAsPlanned", [{ atMs: 0, namespace: arm, configMap }]);
    await allRolled(observer, arm, count, quietMs);
    return sentAt;
  };
  await change(warmSource, warmUsers.length);
  await observer.ask("settled", { quietMs: pace.settleAtOnceMs, timeoutMs: 60_000 });
  const { result: sentAt, usage } = await metered(tool, server, () => change(source, dependents));
  await observer.ask("settled", { quietMs: pace.settleAtOnceMs, timeoutMs: 60_000 });
  const wrong = await judgeArm(arm, observer, (name) => (name.startsWith(warmSource) ? 0 : 1));
  const rolls = [...(await observer.ask("rolls", arm)).values()].flat();
  return {
    ...wrong,
    figures: {
      "last new template": (Math.max(...rolls) - sentAt) / 1000,
      "CPU per roll": (usage.cpuSeconds * 1000) / dependents,
      "API requests per roll": totalOf(usage, "requests") / dependents,
      memory: usage.rssMiB,
    },
  };
}
