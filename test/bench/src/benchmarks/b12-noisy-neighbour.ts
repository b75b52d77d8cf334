import { setTimeout as wait } from "node:timers/promises";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { type FleetServer, rolledOut, startFleetServer } from "../fleet-server/fleet-server.ts";
import { problemsOf } from "../fleet-server/problems.ts";
import { type Block, besideTable, blocksNote, spreadsOf } from "../report/beside.ts";
import { figure, ratio } from "../report/table.ts";
import { startFleetHub } from "../tool/fleet-hub.ts";

/** I5: within 1.5 times, or a quarter of a second where that is more. */
const markRatio = 1.5;
const markMs = 250;
const used = 20;
const settleMs = 2000;
const timeoutMs = 120_000;
const stormCluster = 0;
/** Two cores run server, watcher, worker and Redis: with the 1,000/s of the references they would be the neighbour that is noisy. */
const stormPerSecond = 300;
const quietPerSecond = 10;

export const noisyNeighbour: Benchmark = {
  id: "B12",
  title: "A cluster that changes all the time beside quiet ones: change → PATCH of the quiet ones",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const quiet = context.size ?? (context.isQuick ? 4 : 49);
  const seconds = context.isQuick ? 3 : 30;
  await using server = await startFleetServer({
    ...{ clusters: quiet + 1, used, bystanders: 10, configMaps: 100, secrets: 50 },
    ...{ isTls: false, patchMs: 0, isPortEach: false },
  });
  await using _hub = await startFleetHub({
    kubeconfig: server.kubeconfigPath,
    contexts: server.contexts,
    workers: 1,
    args: ["--debounce=0"],
  });
  await until(
    "adopted",
    async () => (await server.ask("adopted", undefined)) >= used * (quiet + 1),
    timeoutMs,
  );
  const clusters = server.contexts.map((_, index) => index).filter((index) => index !== stormCluster);
  const blocks: Block[] = [];
  for (const isStorm of context.isQuick ? [false, true] : [false, true, true, false]) {
    context.say(`block ${blocks.length + 1}, ${isStorm ? "with" : "without"} the storm`);
    blocks.push({ isBeside: isStorm, latenciesMs: await measure({ server, clusters, seconds, isStorm }) });
  }
  return report(blocks, quiet, context);
}

async function measure(what: {
  readonly server: FleetServer;
  readonly clusters: readonly number[];
  readonly seconds: number;
  readonly isStorm: boolean;
}): Promise<readonly number[]> {
  const { server, clusters, seconds, isStorm } = what;
  await server.ask("forget", undefined);
  const storm = isStorm
    ? server.ask("storm", { cluster: stormCluster, perSecond: stormPerSecond, seconds })
    : Promise.resolve();
  await server.ask("change", { clusters, perSecond: quietPerSecond, count: quietPerSecond * seconds });
  await storm;
  await rolledOut(server, clusters, timeoutMs);
  await wait(settleMs);
  const outcome = await server.ask("outcome", clusters);
  assertNoBug("quiet clusters", problemsOf(outcome));
  return outcome.latenciesMs;
}

function report(blocks: readonly Block[], quiet: number, { isQuick }: BenchContext): Outcome {
  const { alone: calm, beside: stormy } = spreadsOf(blocks);
  const mark: Mark = {
    figure: "B12 p99 of the quiet clusters, with the storm",
    limit: `≤ ${markRatio} × of without, or ${markMs} ms`,
    value: `${figure(stormy.p99)} ms, ${ratio(stormy.p99, calm.p99)}`,
    isMet: stormy.p99 <= Math.max(markRatio * calm.p99, markMs),
  };
  return {
    tables: [
      besideTable(
        {
          title: `${quiet} quiet clusters (${quietPerSecond} changes/s in all) and one with ${stormPerSecond} changes/s; ms from change to PATCH, --debounce=0`,
          ...{ who: "the quiet ones", alone: "without the storm", beside: "with it" },
        },
        blocks,
      ),
    ],
    marks: isQuick ? [] : [mark],
    notes: [blocksNote({ alone: "calm", beside: "storm" }, blocks)],
    measures: { blocks },
  };
}
