import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { metered } from "../meter/metered.ts";
import { countRolls, judgeRolls } from "../observer/judge.ts";
import type { Pair } from "../observer/methods.ts";
import { adopted, startObserver } from "../observer/observer.ts";
import { paceOf } from "../pace.ts";
import { figure } from "../report/table.ts";
import { reportWritesAndRolls, type WritesAndRolls } from "../report/writes-and-rolls.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { startOurs } from "../tool/ours.ts";
import { drained, startPeerModel } from "../tool/peer-model.ts";
import { createPairs } from "../world/pairs.ts";
import { createNamespaces } from "../world/populate.ts";

/** As a sync of a deployment tool writes them: all ConfigMaps of a workload within a second. */
const configMapsEach = 5;
const fullBetweenMs = 200;
const quickBetweenMs = 10;
/** A second of writes, the quiet period of 2 s, and half as much again for a busy machine. */
const roundMs = 5000;
const timeoutMs = 120_000;

export const severalSources: Benchmark = {
  id: "B06",
  title: "5 ConfigMaps of one workload written within 1 s, again and again, default debounce: how many rolls",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const syncs = context.size ?? (context.isQuick ? 3 : 200);
  const { debounceArgs, settleMs } = paceOf(context);
  const betweenMs = context.isQuick ? quickBetweenMs : fullBetweenMs;
  const workloads = Math.min(20, syncs);
  const rounds = Math.ceil(syncs / workloads);
  await using server = await context.startServer();
  await createNamespaces(server, ["ours", "peer"]);
  const pairs = await createPairs(server, {
    namespace: "ours",
    count: workloads,
    optIn: "ours",
    configMapsEach,
  });
  const shape = { namespace: "peer", count: workloads, configMapsEach };
  const peerPairs = await createPairs(server, { ...shape, optIn: "peer model" });
  await using observer = await startObserver(server);
  using data = dataFolder();

  context.say(`ours: ${rounds} rounds of ${workloads} workloads`);
  const ours = await (async (): Promise<WritesAndRolls> => {
    await using tool = await startOurs({ server, dataDir: data.path, args: debounceArgs });
    await adopted(observer, "ours", workloads);
    await observer.ask("forget", undefined);
    const { result, usage } = await metered(tool, server, async () => {
      const sent = await observer.ask("changeAsPlanned", planOf(pairs, rounds, betweenMs));
      await observer.ask("settled", { quietMs: settleMs, timeoutMs });
      return sent.length;
    });
    const rolls = await observer.ask("rolls", "ours");
    assertNoBug(
      "ours",
      judgeRolls(rolls, () => rounds),
    );
    return { writes: result, rolls: countRolls(rolls), usage };
  })();
  context.say("peer model: the same");
  await using tool = await startPeerModel({ server, namespaces: ["peer"] });
  await observer.ask("forget", undefined);
  const { result: writes, usage } = await metered(tool, server, async () => {
    const sent = await observer.ask("changeAsPlanned", planOf(peerPairs, rounds, betweenMs));
    await drained(tool, timeoutMs);
    return sent.length;
  });
  const peer = { writes, rolls: countRolls(await observer.ask("rolls", "peer")), usage };
  return report(ours, peer);
}

/** The pairs come workload by workload; all workloads are written to side by side. */
function planOf(pairs: readonly Pair[], rounds: number, betweenMs: number) {
  const once = pairs.map((pair, at) => ({
    ...pair,
    atMs: (at % configMapsEach) * betweenMs + Math.floor(at / configMapsEach),
  }));
  const all = Array.from({ length: rounds }, (_, round) =>
    once.map((write) => ({ ...write, atMs: write.atMs + round * roundMs })),
  );
  return all.flat().toSorted((a, b) => a.atMs - b.atMs);
}

function report(ours: WritesAndRolls, peer: WritesAndRolls): Outcome {
  return {
    ...reportWritesAndRolls("Rolls for syncs", ours, peer),
    // One roll per sync is what the check for missed and spurious rolls wants: another number is no result at all.
    marks: [
      {
        figure: "B06 writes per roll",
        limit: `${configMapsEach}`,
        value: figure(ours.writes / ours.rolls),
        isMet: ours.writes === configMapsEach * ours.rolls,
      },
    ],
    notes: [],
  };
}
