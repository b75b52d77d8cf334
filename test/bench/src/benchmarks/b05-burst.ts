import { setTimeout as wait } from "node:timers/promises";
import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { metered } from "../meter/metered.ts";
import { countRolls, judgeMerged } from "../observer/judge.ts";
import type { Pair } from "../observer/methods.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { paceOf } from "../pace.ts";
import { reportWritesAndRolls, type WritesAndRolls } from "../report/writes-and-rolls.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { startOurs } from "../tool/ours.ts";
import { drained, startPeerModel } from "../tool/peer-model.ts";
import type { Tool } from "../tool/tool.ts";
import { createPairs } from "../world/pairs.ts";
import { createNamespaces } from "../world/populate.ts";

const deployments = 10;
const everyMs = 100;
const fullWrites = 300;
const quickWrites = 10;
const timeoutMs = 60_000;
const rollsMax = 20;

export const burst: Benchmark = {
  id: "B05",
  title: "A write every 100 ms on 10 ConfigMaps of 10 Deployments, default debounce: how many rolls",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const { debounceArgs, settleMs } = paceOf(context);
  const writes = context.size ?? (context.isQuick ? quickWrites : fullWrites);
  await using server = await context.startServer();
  await createNamespaces(server, ["ours", "peer"]);
  const pairs = await createPairs(server, { namespace: "ours", count: deployments, optIn: "ours" });
  const peerPairs = await createPairs(server, { namespace: "peer", count: deployments, optIn: "peer model" });
  await using observer = await startObserver(server);
  using data = dataFolder();

  context.say(`ours: ${writes} writes`);
  const ours = await (async () => {
    await using tool = await startOurs({ server, dataDir: data.path, args: debounceArgs });
    await adopted(observer, "ours", deployments);
    return await measure({ tool, server, observer, pairs, writes, settleMs, done: () => wait(settleMs) });
  })();
  context.say(`peer model: ${writes} writes`);
  await using tool = await startPeerModel({ server, namespaces: ["peer"] });
  const done = () => drained(tool, timeoutMs);
  const peer = await measure({ tool, server, observer, pairs: peerPairs, writes, settleMs, done });
  return report(ours, peer, context);
}

async function measure(what: {
  readonly tool: Tool;
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly pairs: readonly Pair[];
  readonly writes: number;
  readonly settleMs: number;
  /** Waits until nothing more is to come. */
  readonly done: () => Promise<unknown>;
}): Promise<WritesAndRolls> {
  const { tool, server, observer, pairs, writes, settleMs, done } = what;
  await observer.ask("forget", undefined);
  const plan = Array.from({ length: writes }, (_, at) => pairs[at % pairs.length]).flatMap((pair, at) =>
    pair === undefined ? [] : [{ ...pair, atMs: at * everyMs }],
  );
  const { result: sent, usage } = await metered(tool, server, async () => {
    const times = await observer.ask("changeAsPlanned", plan);
    await done();
    return times;
  });
  await observer.ask("settled", { quietMs: settleMs, timeoutMs });
  const namespace = pairs[0]?.namespace ?? "";
  const rolls = await observer.ask("rolls", namespace);
  const writesOf = (deployment: string) => sent.filter((_, at) => plan[at]?.deployment === deployment);
  assertNoBug(tool.name, judgeMerged(rolls, writesOf));
  return { writes: sent.length, rolls: countRolls(rolls), usage };
}

function report(ours: WritesAndRolls, peer: WritesAndRolls, { isQuick }: BenchContext): Outcome {
  return {
    ...reportWritesAndRolls("Rolls for a burst", ours, peer),
    marks: isQuick
      ? []
      : [
          {
            figure: "B05 rolls",
            limit: `≤ ${rollsMax}`,
            value: String(ours.rolls),
            isMet: ours.rolls <= rollsMax,
          },
        ],
    notes: [],
  };
}
