import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { metered, type Usage } from "../meter/metered.ts";
import { judgeRolls } from "../observer/judge.ts";
import type { Pair } from "../observer/methods.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { figure, ratio } from "../report/table.ts";
import { usageJson, usageTable } from "../report/usage-table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { median, percentile } from "../stats/percentile.ts";
import { describeFit, fitPower } from "../stats/power-fit.ts";
import { seededRandom } from "../stats/random.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { startOurs } from "../tool/ours.ts";
import { startPeerModel } from "../tool/peer-model.ts";
import type { Tool, ToolName } from "../tool/tool.ts";
import { createPairs } from "../world/pairs.ts";
import { createNamespaces } from "../world/populate.ts";

/** Four at least: a slope has three parameters. */
const fullSizes = [1, 100, 300, 1000];
const quickSizes = [1, 5, 10, 20];
const pauseMs = [20, 60] as const;
const missedAfterMs = 10_000;
/** Each namespace is visited this often, in an order that changes: a machine that gets slower hits all sizes alike. */
const fullVisits = 4;
const warmUp = 40;
const markShare = 1.1;

interface Sample {
  readonly arm: ToolName;
  readonly size: number;
  readonly latencies: readonly number[];
  readonly usages: readonly Usage[];
}

export const namespaceSize: Benchmark = {
  id: "B02",
  title: "One change in namespaces of different size: does what lies around it matter",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const sizes = context.isQuick ? quickSizes : sizesUpTo(context.size);
  const [changes, visits] = context.isQuick ? [2, 1] : [40, fullVisits];
  await using server = await context.startServer();
  for (const arm of ["ours", "peer model"] as const) {
    await createNamespaces(
      server,
      sizes.map((size) => namespaceOf(arm, size)),
    );
    for (const size of sizes)
      await createPairs(server, { namespace: namespaceOf(arm, size), count: size, optIn: arm });
  }
  await using observer = await startObserver(server);
  using data = dataFolder();

  const samples: Sample[] = [];
  for (const arm of ["ours", "peer model"] as const) {
    context.say(arm);
    await using tool = await start(arm, server, data.path, sizes);
    if (arm === "ours") for (const size of sizes) await adopted(observer, namespaceOf(arm, size), size);
    samples.push(...(await sweep({ tool, server, observer, sizes, changes, visits, seed: context.seed })));
    await tool.stop();
  }
  return report(samples, context);
}

function sizesUpTo(largest = 1000): readonly number[] {
  return [...fullSizes.filter((size) => size < largest), largest];
}

function namespaceOf(arm: ToolName, size: number): string {
  return `${arm === "ours" ? "ours" : "peer"}-${size}`;
}

async function start(
  arm: ToolName,
  server: BenchServer,
  dataDir: string,
  sizes: readonly number[],
): Promise<Tool> {
  if (arm === "ours") return await startOurs({ server, dataDir, args: ["--debounce=0"] });
  return await startPeerModel({ server, namespaces: sizes.map((size) => namespaceOf(arm, size)) });
}

async function sweep(what: {
  readonly tool: Tool;
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly sizes: readonly number[];
  readonly changes: number;
  readonly visits: number;
  readonly seed: number;
}): Promise<readonly Sample[]> {
  const { tool, server, observer, sizes, changes, visits, seed } = what;
  const random = seededRandom(seed);
  const change = (size: number, count: number) => {
    const namespace = namespaceOf(tool.name, size);
    const pair = (): Pair => {
      const name = `app-${String(Math.floor(random() * size)).padStart(6, "0")}`;
      return { namespace, configMap: name, deployment: name };
    };
    return observer.ask("changeOneByOne", {
      pairs: Array.from({ length: count }, pair),
      pauseMs,
      seed,
      timeoutMs: missedAfterMs,
    });
  };
  await change(sizes[0] ?? 1, Math.min(warmUp, changes * visits));
  const latencies = new Map<number, number[]>(sizes.map((size) => [size, []]));
  const usages = new Map<number, Usage[]>(sizes.map((size) => [size, []]));
  for (let visit = 0; visit < visits; visit += 1) {
    for (const size of visit % 2 === 0 ? sizes : sizes.toReversed()) {
      await observer.ask("forget", undefined);
      const { result, usage } = await metered(tool, server, () => change(size, changes));
      const rolls = await observer.ask("rolls", namespaceOf(tool.name, size));
      const changed = Map.groupBy(result, ({ pair }) => pair.deployment);
      assertNoBug(
        `${tool.name}, ${size} workloads`,
        judgeRolls(rolls, (name) => changed.get(name)?.length ?? 0),
      );
      latencies.get(size)?.push(...result.flatMap(({ fromSendMs }) => fromSendMs ?? []));
      usages.get(size)?.push(usage);
    }
  }
  return sizes.map((size) => ({
    arm: tool.name,
    size,
    latencies: latencies.get(size) ?? [],
    usages: usages.get(size) ?? [],
  }));
}

function report(samples: readonly Sample[], { isQuick }: BenchContext): Outcome {
  const of = (arm: ToolName) => samples.filter((sample) => sample.arm === arm);
  const fit = (arm: ToolName) =>
    fitPower(of(arm).map(({ size, latencies }) => ({ n: size, cost: median(latencies) })));
  const rows = of("ours").map(({ size, latencies }) => {
    const peer = of("peer model").find((sample) => sample.size === size)?.latencies ?? [];
    const [p50, peerP50] = [median(latencies), median(peer)];
    return [
      String(size),
      figure(p50),
      figure(percentile(latencies, 0.99)),
      figure(peerP50),
      figure(percentile(peer, 0.99)),
      ratio(p50, peerP50),
    ];
  });
  const smallest = of("ours").at(0);
  const largest = of("ours").at(-1);
  const growth = median(largest?.latencies ?? []) / median(smallest?.latencies ?? []);
  const lastUsages = samples.filter(({ size }) => size === largest?.size || size === smallest?.size);
  return {
    tables: [
      {
        title: "Latency in ms, write sent → seen, --debounce=0",
        columns: ["workloads in the namespace", "ours p50", "p99", "peer model p50", "p99", "ratio p50"],
        rows,
      },
      usageTable(
        "change",
        lastUsages.flatMap(({ arm, size, usages, latencies }) =>
          usages.slice(-1).map((usage) => ({
            arm: `${arm}, ${size} workloads`,
            usage,
            units: latencies.length / usages.length,
          })),
        ),
      ),
    ],
    marks: isQuick
      ? []
      : [
          {
            figure: `B02 p50 among ${largest?.size} workloads against ${smallest?.size}`,
            limit: `≤ ${markShare}×`,
            value: `${growth.toFixed(2)}×`,
            isMet: growth <= markShare,
          },
        ],
    notes: [
      `p50 by size, ours: ${describeFit(fit("ours"), "ms")}`,
      `p50 by size, peer model: ${describeFit(fit("peer model"), "ms")}`,
    ],
    measures: { samples: samples.map((sample) => ({ ...sample, usages: sample.usages.map(usageJson) })) },
  };
}
