import { setTimeout as wait } from "node:timers/promises";
import { until } from "@fleet-reloader/testkit/until";
import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { type FleetServer, rolledOut, startFleetServer } from "../fleet-server/fleet-server.ts";
import { problemsOf } from "../fleet-server/problems.ts";
import { figure } from "../report/table.ts";
import { spreadOf } from "../stats/percentile.ts";
import { type FleetHub, startFleetHub } from "../tool/fleet-hub.ts";

const clusters = 4;
const used = 5;
/** Long enough that a worker is killed in the middle of it. */
const patchMs = 200;
const quietPeriodMs = 2000;
const awayMs = 5000;
const adoptedTimeoutMs = 60_000;
const timeoutMs = 120_000;
const settleMs = 5000;

interface Fault {
  readonly name: string;
  /** From the end of the fault; for a process that is killed, from its death. */
  readonly boundSeconds: number;
  /** Changes every source at the worst moment, does its harm, and resolves to when it was over. */
  readonly withdraw: (server: FleetServer, hub: FleetHub) => Promise<number>;
}

interface Measured {
  readonly name: string;
  readonly boundSeconds: number;
  readonly seconds: readonly number[];
}

const everything = Array.from({ length: clusters }, (_, index) => index);

function changeAll(server: FleetServer): Promise<void> {
  const count = clusters * used;
  return server.ask("change", { clusters: everything, perSecond: Number.MAX_SAFE_INTEGER, count });
}

const faults: readonly Fault[] = [
  {
    name: "one of two watchers killed, changes at once",
    // Lease 15 s, resume 1 s, and the quiet period.
    boundSeconds: 15 + 1 + quietPeriodMs / 1000 + 1,
    async withdraw(server, hub) {
      await killFirst(hub.watchers);
      const at = performance.now();
      await changeAll(server);
      return at;
    },
  },
  {
    name: "one of two workers killed in the middle of its PATCHes",
    // Lock 5 s, stall check 2.5 s, 1 s.
    boundSeconds: 5 + 2.5 + 1 + 1,
    async withdraw(server, hub) {
      await changeAll(server);
      await wait(quietPeriodMs + patchMs / 2);
      await killFirst(hub.workers);
      return performance.now();
    },
  },
  {
    name: `Redis killed, back after ${awayMs / 1000} s without loss`,
    boundSeconds: 10 + quietPeriodMs / 1000,
    async withdraw(server, { redis }) {
      await redis.kill();
      await changeAll(server);
      await wait(awayMs);
      await redis.restart();
      return performance.now();
    },
  },
  {
    name: `API servers silent for ${awayMs / 1000} s`,
    boundSeconds: 30 + quietPeriodMs / 1000,
    async withdraw(server) {
      await changeAll(server);
      await wait(quietPeriodMs / 2);
      await server.ask("behave", { clusters: everything, as: "swallows" });
      await wait(awayMs);
      await server.ask("behave", { clusters: everything, as: "healthy" });
      return performance.now();
    },
  },
];

export const recovery: Benchmark = {
  id: "B15",
  title: "Recovery: from a fault until every change made around it is rolled out, each once",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const times = context.size ?? (context.isQuick ? 1 : 20);
  await using server = await startFleetServer({
    ...{ clusters, used, bystanders: 0, configMaps: 50, secrets: 50 },
    ...{ isTls: false, patchMs, isPortEach: true },
  });
  await using hub = await startFleetHub({
    ...{ kubeconfig: server.kubeconfigPath, contexts: server.contexts, workers: 2, watchers: 2 },
    args: [`--debounce=${quietPeriodMs}ms`],
  });
  const isAdopted = async () => (await server.ask("adopted", undefined)) >= clusters * used;
  await until("adopted", isAdopted, adoptedTimeoutMs);
  const measured: Measured[] = [];
  for (const fault of faults) {
    context.say(`${fault.name}, ${times} times`);
    const seconds: number[] = [];
    for (let time = 0; time < times; time += 1) seconds.push(await measure(server, hub, fault));
    measured.push({ name: fault.name, boundSeconds: fault.boundSeconds, seconds });
  }
  return report(measured, context);
}

async function measure(server: FleetServer, hub: FleetHub, fault: Fault): Promise<number> {
  await server.ask("forget", undefined);
  const endedAt = await fault.withdraw(server, hub);
  await rolledOut(server, everything, timeoutMs);
  const seconds = Math.max(0, performance.now() - endedAt) / 1000;
  await wait(settleMs);
  assertNoBug(fault.name, problemsOf(await server.ask("outcome", everything)));
  while (hub.watchers.length < 2) await hub.addWatcher();
  while (hub.workers.length < 2) await hub.addWorker();
  return seconds;
}

async function killFirst(products: FleetHub["workers"]): Promise<void> {
  const [first] = products;
  first?.signal("SIGKILL");
  await first?.ended;
}

function report(measured: readonly Measured[], { isQuick }: BenchContext): Outcome {
  const marks: readonly Mark[] = measured.map(({ name, boundSeconds, seconds }) => {
    const { max } = spreadOf(seconds);
    return {
      figure: `B15 ${name}`,
      limit: `≤ ${boundSeconds} s`,
      value: `${figure(max)} s at worst`,
      isMet: max <= boundSeconds,
    };
  });
  return {
    tables: [
      {
        title: `Seconds until ${clusters * used} changes in ${clusters} clusters were rolled out, quiet period of ${quietPeriodMs / 1000} s included; PATCH ${patchMs} ms`,
        columns: ["fault", "times", "p50", "max", "bound"],
        rows: measured.map(({ name, boundSeconds, seconds }) => {
          const { count, p50, max } = spreadOf(seconds);
          return [name, String(count), figure(p50), figure(max), figure(boundSeconds)];
        }),
      },
    ],
    marks: isQuick ? [] : marks,
    notes: [],
    measures: { measured },
  };
}
