import { setTimeout as wait } from "node:timers/promises";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { type FleetServer, rolledOut, startFleetServer } from "../fleet-server/fleet-server.ts";
import { problemsOf } from "../fleet-server/problems.ts";
import { readProcess } from "../meter/process-tree.ts";
import { figure } from "../report/table.ts";
import { percentile } from "../stats/percentile.ts";
import { type FleetHub, readFleetHub, startFleetHub } from "../tool/fleet-hub.ts";

const patchMs = 10;
/**
 * At once in each worker: so few that a worker waits for the API server most of the time. With the default of 32 four of them
 * would need more CPU than two cores have, and the figure would be about the machine.
 */
const concurrency = 1;
const clusters = 8;
const settleMs = 2000;
const timeoutMs = 400_000;
const marksAt: Readonly<Record<number, number>> = { 2: 0.9, 4: 0.75 };

interface Round {
  readonly workers: number;
  readonly rolls: number;
  readonly perSecond: number;
  readonly cores: number;
}

export const scaleOut: Benchmark = {
  id: "B13",
  title: `Workers 1 → 2 → 4 against a server that takes ${patchMs} ms for a PATCH`,
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const rolls = context.size ?? (context.isQuick ? 80 : 8000);
  const used = Math.ceil(rolls / clusters);
  await using server = await startFleetServer({
    ...{ clusters, used, bystanders: 0, configMaps: 0, secrets: 0 },
    ...{ isTls: false, patchMs, isPortEach: false },
  });
  await using hub = await startFleetHub({
    kubeconfig: server.kubeconfigPath,
    contexts: server.contexts,
    workers: 1,
    args: ["--debounce=0"],
    workerArgs: ["--concurrency", String(concurrency)],
  });
  await until("adopted", async () => (await server.ask("adopted", undefined)) >= used * clusters, timeoutMs);
  const rounds: Round[] = [];
  for (const workers of [1, 2, 4]) {
    while (hub.workers.length < workers) await hub.addWorker();
    context.say(`${workers} workers, ${used * clusters} rolls`);
    rounds.push(await measure(server, hub, used * clusters));
  }
  return report(rounds, context);
}

async function measure(server: FleetServer, hub: FleetHub, rolls: number): Promise<Round> {
  const all = server.contexts.map((_, index) => index);
  const cpu = async () => {
    const { watcherCpu, workerCpu, redisCpu } = await readFleetHub(hub);
    return watcherCpu + workerCpu + redisCpu + (readProcess(server.pid)?.cpuSeconds ?? 0);
  };
  await server.ask("forget", undefined);
  const [before, beganAt] = [await cpu(), performance.now()];
  await server.ask("change", { clusters: all, perSecond: Number.MAX_SAFE_INTEGER, count: rolls });
  await rolledOut(server, all, timeoutMs);
  const cores = ((await cpu()) - before) / ((performance.now() - beganAt) / 1000);
  await wait(settleMs);
  const outcome = await server.ask("outcome", all);
  assertNoBug(`${hub.workers.length} workers`, problemsOf(outcome));
  // Without the beginning, when the watcher still fills the queue, and the end, when there is not work for all.
  const [from, to] = [percentile(outcome.rolledAtMs, 0.1), percentile(outcome.rolledAtMs, 0.9)];
  return { workers: hub.workers.length, rolls, perSecond: (0.8 * rolls) / ((to - from) / 1000), cores };
}

function report(rounds: readonly Round[], { isQuick }: BenchContext): Outcome {
  const alone = rounds[0]?.perSecond ?? Number.NaN;
  const efficiency = ({ workers, perSecond }: Round) => perSecond / (alone * workers);
  const marks: readonly Mark[] = rounds.flatMap((round) => {
    const least = marksAt[round.workers];
    if (least === undefined) return [];
    const value = efficiency(round);
    return {
      figure: `B13 efficiency of ${round.workers} workers`,
      limit: `≥ ${least * 100} %`,
      value: `${(value * 100).toFixed(0)} %`,
      isMet: value >= least,
    };
  });
  return {
    tables: [
      {
        title: `Rolls/s with --concurrency ${concurrency} in each worker, PATCH ${patchMs} ms; cores of all processes, the server's too`,
        columns: ["workers", "rolls", "rolls/s", "efficiency", "cores"],
        rows: rounds.map((round) => [
          String(round.workers),
          String(round.rolls),
          figure(round.perSecond),
          `${(efficiency(round) * 100).toFixed(0)} %`,
          figure(round.cores),
        ]),
      },
    ],
    marks: isQuick ? [] : marks,
    notes: [],
    measures: { rounds, concurrency, patchMs },
  };
}
