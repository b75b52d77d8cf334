import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { metered, type Usage } from "../meter/metered.ts";
import { judgeRolls } from "../observer/judge.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { figure } from "../report/table.ts";
import { requestNote, usageJson, usageTable } from "../report/usage-table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { median } from "../stats/percentile.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { floorInFlight, measureFloor } from "../tool/floor.ts";
import { type Ours, startOurs } from "../tool/ours.ts";
import { optInOf } from "../tool/tool.ts";
import { configMap, deployment } from "../world/objects.ts";
import { createNamespaces, createObjects, numbered } from "../world/populate.ts";

const markWorkloads = 1000;
const newSecondsMax = 3;
const firstStartRatioMax = 2;
const rounds = 3;

interface Adoption {
  /** Bare PATCHes of as many workloads. */
  readonly floorSeconds: number;
  /** From the start of the process until it is in sync, and until `/ready` answers 200. */
  readonly inSyncSeconds: number;
  readonly readySeconds: number;
  /** From the first new workload's creation until the last one exists, and until the last one has its note. */
  readonly createdSeconds: number;
  readonly notedSeconds: number;
  readonly usage: Usage;
}

export const adoption: Benchmark = {
  id: "B26",
  title: "Adoption: a first start on opted-in workloads → /ready; as many new ones → the last one noted",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const workloads = context.size ?? (context.isQuick ? 30 : markWorkloads);
  const samples: Adoption[] = [];
  for (let round = 1; round <= (context.isQuick ? 1 : rounds); round += 1) {
    context.say(`round ${round}`);
    samples.push(await measureRound(context, numbered("app", workloads)));
  }
  return report(workloads, samples, context);
}

/** A server of its own: a workload that was adopted once is never new again. */
async function measureRound({ startServer }: BenchContext, names: readonly string[]): Promise<Adoption> {
  await using server = await startServer();
  await createNamespaces(server, ["there", "new", "floor"]);
  for (const namespace of ["there", "new"])
    await createObjects(server, "ConfigMap", namespace, names, (name) => configMap(name, 1024));
  await createWorkloads(server, "there", names, { [optInOf.ours]: "true" });
  await createWorkloads(server, "floor", names, {});
  await using observer = await startObserver(server);
  await measureFloor(server, { namespace: "floor", deployments: names });
  const floor = await measureFloor(server, { namespace: "floor", deployments: names });
  using data = dataFolder();
  const startedAt = performance.now();
  await using tool = await startOurs({ server, dataDir: data.path });
  await tool.ready();
  const readySeconds = (performance.now() - startedAt) / 1000;
  await adopted(observer, "there", names.length);
  const came = await adoptNew({ server, observer, tool, names });
  for (const namespace of ["there", "new"])
    assertNoBug(
      namespace,
      judgeRolls(await observer.ask("rolls", namespace), () => 0),
    );
  await tool.stop();
  return { floorSeconds: floor.seconds, inSyncSeconds: tool.readyMs / 1000, readySeconds, ...came };
}

async function adoptNew(what: {
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly tool: Ours;
  readonly names: readonly string[];
}): Promise<Pick<Adoption, "createdSeconds" | "notedSeconds" | "usage">> {
  const { server, observer, tool, names } = what;
  const beganAt = performance.now();
  const { result, usage } = await metered(tool, server, async () => {
    await createWorkloads(server, "new", names, { [optInOf.ours]: "true" });
    const createdAt = performance.now();
    await adopted(observer, "new", names.length);
    return { createdAt, notedAt: performance.now() };
  });
  return {
    createdSeconds: (result.createdAt - beganAt) / 1000,
    notedSeconds: (result.notedAt - beganAt) / 1000,
    usage,
  };
}

function createWorkloads(
  server: BenchServer,
  namespace: string,
  names: readonly string[],
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const make = (name: string) => deployment({ name, configMaps: [name], annotations });
  return createObjects(server, "Deployment", namespace, names, make);
}

function report(workloads: number, samples: readonly Adoption[], { isQuick }: BenchContext): Outcome {
  return {
    tables: [
      {
        title: `Seconds for ${workloads} workloads, each with a ConfigMap of its own`,
        columns: ["round", "floor", "start → in sync", "start → /ready", "÷ floor", "created", "noted"],
        rows: samples.map((sample, at) => [
          String(at + 1),
          ...[sample.floorSeconds, sample.inSyncSeconds, sample.readySeconds, firstStartRatio(sample)].map(
            figure,
          ),
          ...[sample.createdSeconds, sample.notedSeconds].map(figure),
        ]),
      },
      usageTable(
        "new workload",
        samples.map(({ usage }, at) => ({ arm: `ours, round ${at + 1}`, usage, units: workloads })),
      ),
    ],
    marks: isQuick ? [] : marksOf(workloads, samples),
    notes: [
      `floor: bare PATCHes of as many Deployments, ${floorInFlight} in flight`,
      "÷ floor: what comes after the process is in sync",
      ...samples.slice(-1).map(({ usage }) => requestNote("ours and who creates", usage)),
    ],
    measures: { samples: samples.map((sample) => ({ ...sample, usage: usageJson(sample.usage) })) },
  };
}

function firstStartRatio({ floorSeconds, inSyncSeconds, readySeconds }: Adoption): number {
  return (readySeconds - inSyncSeconds) / floorSeconds;
}

function marksOf(workloads: number, samples: readonly Adoption[]): readonly Mark[] {
  const behind = median(samples.map(({ createdSeconds, notedSeconds }) => notedSeconds - createdSeconds));
  const startRatio = median(samples.map(firstStartRatio));
  const firstStart: Mark = {
    figure: `B26 first start on ${workloads}, /ready after it is in sync`,
    limit: `≤ ${firstStartRatioMax} × their bare PATCHes`,
    value: figure(startRatio),
    isMet: startRatio <= firstStartRatioMax,
  };
  if (workloads !== markWorkloads) return [firstStart];
  const newOnes: Mark = {
    figure: `B26 ${workloads} new workloads, last creation → last note`,
    limit: `≤ ${newSecondsMax} s`,
    value: `${figure(behind)} s`,
    isMet: behind <= newSecondsMax,
  };
  return [firstStart, newOnes];
}
