import { setTimeout as wait } from "node:timers/promises";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { type FleetServer, rolledOut, startFleetServer } from "../fleet-server/fleet-server.ts";
import type { Behaviour } from "../fleet-server/methods.ts";
import { problemsOf } from "../fleet-server/problems.ts";
import { type Block, besideTable, blocksNote, spreadsOf } from "../report/beside.ts";
import { figure, ratio } from "../report/table.ts";
import { startFleetHub } from "../tool/fleet-hub.ts";

const markRatio = 1.5;
const used = 20;
/** Changes in sick clusters are seen before they fall ill, and due only then: work for a cluster that is away waits in the queue. */
const quietPeriodMs = 1000;
const seenMs = 400;
const healthyPerSecond = 15;
const settleMs = 4000;
/** For the sick ones to catch up: 30 s to the first roll after an outage, and the back-off of what was tried meanwhile. */
const timeoutMs = 180_000;

interface SickBlock extends Block {
  /** From the end of the faults until all that waited in the sick clusters was rolled out. */
  readonly recoverySeconds: number | undefined;
}

export const sickClusters: Benchmark = {
  id: "B12F",
  title:
    "Clusters that swallow connections, hang or fail beside healthy ones: change → PATCH of the healthy ones",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const count = context.size ?? (context.isQuick ? 10 : 50);
  const seconds = context.isQuick ? 5 : 30;
  await using server = await startFleetServer({
    ...{ clusters: count, used, bystanders: 10, configMaps: 100, secrets: 50 },
    ...{ isTls: false, patchMs: 0, isPortEach: true },
  });
  await using _hub = await startFleetHub({
    kubeconfig: server.kubeconfigPath,
    contexts: server.contexts,
    workers: 1,
    args: [`--debounce=${quietPeriodMs}ms`],
  });
  await until("adopted", async () => (await server.ask("adopted", undefined)) >= used * count, timeoutMs);
  const parts = partsOf(count);
  const blocks: SickBlock[] = [];
  for (const isSick of context.isQuick ? [false, true] : [false, true, true, false]) {
    context.say(`block ${blocks.length + 1}, ${isSick ? "some sick" : "all healthy"}`);
    blocks.push(await measure(server, parts, seconds, isSick));
  }
  return report(blocks, parts, context);
}

interface Parts {
  readonly healthy: readonly number[];
  readonly sick: readonly { readonly as: Behaviour; readonly clusters: readonly number[] }[];
}

/** A fifth swallows, a tenth hangs, a tenth fails. */
function partsOf(count: number): Parts {
  const all = Array.from({ length: count }, (_, index) => index);
  const [swallows, hangs] = [count / 5, count / 10].map(Math.round);
  const cuts = [swallows ?? 0, (swallows ?? 0) + (hangs ?? 0), (swallows ?? 0) + 2 * (hangs ?? 0)];
  return {
    sick: [
      { as: "swallows", clusters: all.slice(0, cuts[0]) },
      { as: "hangs", clusters: all.slice(cuts[0], cuts[1]) },
      { as: "fails", clusters: all.slice(cuts[1], cuts[2]) },
    ],
    healthy: all.slice(cuts[2]),
  };
}

async function measure(
  server: FleetServer,
  { healthy, sick }: Parts,
  seconds: number,
  isSick: boolean,
): Promise<SickBlock> {
  const ill = sick.flatMap(({ clusters }) => clusters);
  await server.ask("forget", undefined);
  if (isSick) {
    await server.ask("change", {
      clusters: ill,
      perSecond: Number.MAX_SAFE_INTEGER,
      count: ill.length * used,
    });
    await wait(seenMs);
    for (const { as, clusters } of sick) await server.ask("behave", { clusters, as });
  }
  await server.ask("change", {
    clusters: healthy,
    perSecond: healthyPerSecond,
    count: healthyPerSecond * seconds,
  });
  await rolledOut(server, healthy, timeoutMs);
  const healedAt = performance.now();
  await server.ask("behave", { clusters: ill, as: "healthy" });
  await rolledOut(server, ill, timeoutMs);
  const recoverySeconds = isSick ? (performance.now() - healedAt) / 1000 : undefined;
  await wait(settleMs);
  const outcome = await server.ask("outcome", healthy);
  assertNoBug("healthy clusters", problemsOf(outcome));
  assertNoBug("clusters that were sick", problemsOf(await server.ask("outcome", ill)));
  return {
    ...{ isBeside: isSick, recoverySeconds },
    latenciesMs: outcome.latenciesMs.map((ms) => ms - quietPeriodMs),
  };
}

function report(blocks: readonly SickBlock[], { healthy, sick }: Parts, { isQuick }: BenchContext): Outcome {
  const { alone: well, beside: ill } = spreadsOf(blocks);
  // The quiet period is part of what a user waits: without it a ratio of two small remainders would be mostly noise.
  const whole = (ms: number) => ms + quietPeriodMs;
  const mark: Mark = {
    figure: "B12F p99 change → PATCH of the healthy clusters, with sick ones beside them",
    limit: `≤ ${markRatio} × of without`,
    value: `${figure(whole(ill.p99))} ms, ${ratio(whole(ill.p99), whole(well.p99))} (beyond the quiet period ${ratio(ill.p99, well.p99)})`,
    isMet: whole(ill.p99) <= markRatio * whole(well.p99),
  };
  const recoveries = blocks.flatMap(({ recoverySeconds }) => recoverySeconds ?? []);
  return {
    tables: [
      besideTable(
        {
          title: `${healthy.length} healthy clusters beside ${sick.map(({ as, clusters }) => `${clusters.length} that ${as.replace(/s$/, "")}`).join(", ")}; ms from change to PATCH beyond the quiet period`,
          ...{ who: "the healthy ones", alone: "all healthy", beside: "some sick" },
        },
        blocks,
      ),
    ],
    marks: isQuick ? [] : [mark],
    notes: [
      blocksNote({ alone: "well", beside: "sick" }, blocks),
      `until what waited for the sick ones was rolled out, after they were well again: ${recoveries.map(figure).join(" and ")} s`,
    ],
    measures: { blocks },
  };
}
