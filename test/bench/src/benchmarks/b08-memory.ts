import type { BenchContext, Benchmark, Mark, Outcome } from "../benchmark.ts";
import { type Memory, measureMemory } from "../meter/memory.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { figure, ratio } from "../report/table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { median } from "../stats/percentile.ts";
import { describeFit, fitPower } from "../stats/power-fit.ts";
import { dataFolder, sharedMarkKey } from "../tool/data-folder.ts";
import { startOurs } from "../tool/ours.ts";
import { startPeerModel } from "../tool/peer-model.ts";
import type { ToolName } from "../tool/tool.ts";
import { type Crowd, createCrowd, growCrowd } from "../world/many-objects.ts";

const kib = 1024;
const markObjects = 10_000;
const markKiB = 150;
const sameShare = 0.05;
/** Sizes of objects to compare at the main number of them: small, usual, large. */
const sizesKiB = [1, 4, 32] as const;
const rounds = 3;

interface Sample extends Memory {
  readonly arm: ToolName;
  readonly objects: number;
  readonly kibEach: number;
}

export const memory: Benchmark = {
  id: "B08",
  title: "Memory of the whole process tree, Redis included, over the number and the size of objects",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const most = context.size ?? (context.isQuick ? 200 : markObjects);
  const samples: Sample[] = [];
  using key = sharedMarkKey();
  for (const kibEach of context.isQuick ? ([4, 32] as const) : sizesKiB) {
    await using server = await context.startServer();
    await using observer = await startObserver(server);
    let crowd = await createCrowd(server, kibEach * kib, context.isQuick ? 2 : 200);
    // Four numbers for the slope, at the usual size; elsewhere only the largest.
    const counts =
      kibEach === 4 && !context.isQuick ? [most / 10, most / 4, most / 2, most].map(Math.round) : [most];
    for (const count of counts) {
      crowd = await growCrowd(server, crowd, count);
      const times = count === most && !context.isQuick ? rounds : 1;
      context.say(`${count} objects of ${kibEach} KiB`);
      samples.push(...(await measure({ context, server, observer, crowd, times, args: key.args })));
    }
  }
  return report(samples, most);
}

/** Ours on a new Redis each time, then the model once: ours are small differences, the model's are not. */
async function measure(what: {
  readonly context: BenchContext;
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly crowd: Crowd;
  readonly times: number;
  readonly args: readonly string[];
}): Promise<readonly Sample[]> {
  const { context, server, observer, crowd, times, args } = what;
  const size = { objects: crowd.objects, kibEach: crowd.bytes / kib };
  const samples: Sample[] = [];
  for (let round = 0; round < times; round += 1) {
    using data = dataFolder();
    await using tool = await startOurs({ server, dataDir: data.path, args });
    await adopted(observer, crowd.namespace, crowd.used.length);
    samples.push({ arm: "ours", ...size, ...(await measureMemory(tool.pid, context.isQuick)) });
    await tool.stop();
  }
  await using tool = await startPeerModel({ server });
  samples.push({ arm: "peer model", ...size, ...(await measureMemory(tool.pid, context.isQuick)) });
  return samples;
}

function report(samples: readonly Sample[], most: number): Outcome {
  const of = (arm: ToolName, objects: number, kibEach: number) => {
    const fitting = samples.filter((s) => s.arm === arm && s.objects === objects && s.kibEach === kibEach);
    return {
      steady: median(fitting.map(({ steadyMiB }) => steadyMiB)),
      peak: Math.max(...fitting.map(({ peakMiB }) => peakMiB)),
      redis: median(fitting.map(({ byProgram }) => byProgram["redis-server"] ?? 0)),
    };
  };
  const shapes = [
    ...new Map(
      samples.map(({ objects, kibEach }) => [`${objects}/${kibEach}`, { objects, kibEach }]),
    ).values(),
  ];
  const rows = shapes.map(({ objects, kibEach }) => {
    const [ours, peer] = [of("ours", objects, kibEach), of("peer model", objects, kibEach)];
    const raw = (objects * kibEach) / kib;
    return [
      String(objects),
      String(kibEach),
      figure(raw),
      ...[ours.steady, ours.redis, ours.peak, peer.steady, peer.peak].map(figure),
      ratio(ours.steady, peer.steady),
      ratio(ours.peak, peer.peak),
    ];
  });
  const along = (arm: ToolName) => {
    const sizes = shapes.filter(({ kibEach }) => kibEach === 4);
    return fitPower(
      sizes.map(({ objects, kibEach }) => ({ n: objects, cost: of(arm, objects, kibEach).steady })),
    );
  };
  const [usual, large] = [of("ours", most, 4), of("ours", most, 32)];
  const difference = Math.abs(large.steady / usual.steady - 1);
  const marks: readonly Mark[] = [
    {
      figure: `B08 ${most} objects of 32 KiB against 4 KiB, steady`,
      limit: `within ${sameShare * 100} %`,
      value: `${(difference * 100).toFixed(1)} %`,
      isMet: difference <= sameShare,
    },
    ...(
      [
        ["steady", Math.max(usual.steady, large.steady)],
        ["peak", Math.max(usual.peak, large.peak)],
      ] as const
    ).map(([name, mib]) => ({
      figure: `B08 ${most} objects, whole tree, ${name}`,
      limit: `≤ ${markKiB} MiB`,
      value: `${figure(mib)} MiB`,
      isMet: mib <= markKiB,
    })),
  ];
  return {
    tables: [
      {
        title:
          "MiB of resident memory: steady (idle) and peak (VmHWM of each process, added up); besides, 200 Helm releases of 500 KiB",
        columns: [
          "objects",
          "KiB each",
          "raw MiB",
          "ours steady",
          "of it redis",
          "ours peak",
          "peer model steady",
          "peak",
          "ratio steady",
          "ratio peak",
        ],
        rows,
      },
    ],
    marks: most === markObjects ? marks : [],
    notes: [
      `steady over objects of 4 KiB, ours: ${describeFit(along("ours"), "MiB")}`,
      `steady over objects of 4 KiB, peer model: ${describeFit(along("peer model"), "MiB")}`,
      "the peer model lists in pages and runs on Node: what it needs is no measurement of the peer, which is written in Go and lists in one piece",
    ],
    measures: { samples },
  };
}
