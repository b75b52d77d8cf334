import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { type Memory, measureMemory } from "../meter/memory.ts";
import { judgeRolls } from "../observer/judge.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { figure, ratio } from "../report/table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { median } from "../stats/percentile.ts";
import { describeFit, fitPower } from "../stats/power-fit.ts";
import { dataFolder, sharedMarkKey } from "../tool/data-folder.ts";
import { startOurs } from "../tool/ours.ts";
import { startPeerModel } from "../tool/peer-model.ts";
import type { Tool, ToolName } from "../tool/tool.ts";
import { type Crowd, createCrowd, growCrowd } from "../world/many-objects.ts";

const bytes = 4 * 1024;
const rounds = 3;
const secondsPer10k = 1;
const peakAboveSteadyMiB = 64;

interface Sample {
  readonly arm: ToolName;
  readonly objects: number;
  readonly readyMs: number;
  readonly memory: Memory;
}

export const coldStart: Benchmark = {
  id: "B09",
  title: "Start with an empty Redis: process start → in sync",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  // A real API server takes a minute to be filled with 50,000 objects, which is not what is measured.
  const most = context.size ?? (context.isQuick ? 400 : context.isReal ? 20_000 : 50_000);
  await using server = await context.startServer();
  await using observer = await startObserver(server);
  let crowd = await createCrowd(server, bytes, 0);
  const samples: Sample[] = [];
  using key = sharedMarkKey();
  for (const share of context.isQuick ? [0.5, 1] : [0.1, 0.2, 0.5, 1]) {
    const count = Math.round(most * share);
    crowd = await growCrowd(server, crowd, count);
    context.say(`${count} objects`);
    for (let round = 0; round < (context.isQuick ? 1 : rounds); round += 1) {
      samples.push(await measureOurs({ context, server, observer, crowd, args: key.args }));
      await using tool = await startPeerModel({ server });
      samples.push(await sampleOf(tool, crowd, context));
    }
  }
  return report(samples, context);
}

async function measureOurs(what: {
  readonly context: BenchContext;
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly crowd: Crowd;
  readonly args: readonly string[];
}): Promise<Sample> {
  const { context, server, observer, crowd, args } = what;
  using data = dataFolder();
  await observer.ask("forget", undefined);
  await using tool = await startOurs({ server, dataDir: data.path, args });
  await adopted(observer, crowd.namespace, crowd.used.length);
  const sample = await sampleOf(tool, crowd, context);
  // Nothing has changed, so nothing may roll: the first start adopts, the others compare.
  assertNoBug(
    `ours, ${crowd.objects} objects`,
    judgeRolls(await observer.ask("rolls", crowd.namespace), () => 0),
  );
  await tool.stop();
  return sample;
}

async function sampleOf(tool: Tool, crowd: Crowd, { isQuick }: BenchContext): Promise<Sample> {
  return {
    arm: tool.name,
    objects: crowd.objects,
    readyMs: tool.readyMs,
    memory: await measureMemory(tool.pid, isQuick),
  };
}

function report(samples: readonly Sample[], { isQuick }: BenchContext): Outcome {
  const counts = [...new Set(samples.map(({ objects }) => objects))];
  const of = (arm: ToolName, objects: number) => {
    const fitting = samples.filter((sample) => sample.arm === arm && sample.objects === objects);
    return {
      seconds: median(fitting.map(({ readyMs }) => readyMs)) / 1000,
      peak: median(fitting.map(({ memory }) => memory.peakMiB)),
      steady: median(fitting.map(({ memory }) => memory.steadyMiB)),
    };
  };
  const rows = counts.map((objects) => {
    const [ours, peer] = [of("ours", objects), of("peer model", objects)];
    return [
      String(objects),
      ...[ours.seconds, peer.seconds].map(figure),
      ratio(ours.seconds, peer.seconds),
      ...[ours.peak, ours.steady, peer.peak].map(figure),
      ratio(ours.peak, peer.peak),
    ];
  });
  const fit = (arm: ToolName) =>
    fitPower(counts.map((objects) => ({ n: objects, cost: of(arm, objects).seconds })));
  const most = Math.max(...counts);
  const { seconds, peak, steady } = of("ours", most);
  const secondsMax = Math.max(1, (most / 10_000) * secondsPer10k);
  return {
    tables: [
      {
        title: `Objects of ${bytes / 1024} KiB: seconds to in sync, MiB at the peak and idle`,
        columns: [
          "objects",
          "ours s",
          "peer model s",
          "ratio",
          "ours peak",
          "ours steady",
          "peer model peak",
          "ratio peak",
        ],
        rows,
      },
    ],
    marks: isQuick
      ? []
      : [
          {
            figure: `B09 ${most} objects`,
            limit: `≤ ${figure(secondsMax)} s`,
            value: `${figure(seconds)} s`,
            isMet: seconds <= secondsMax,
          },
          {
            figure: `B09 peak above steady, ${most} objects`,
            limit: `≤ ${peakAboveSteadyMiB} MiB`,
            value: `${figure(peak - steady)} MiB`,
            isMet: peak - steady <= peakAboveSteadyMiB,
          },
        ],
    notes: [`ours: ${describeFit(fit("ours"), "s")}`, `peer model: ${describeFit(fit("peer model"), "s")}`],
    measures: { samples },
  };
}
