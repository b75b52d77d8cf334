import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Benchmark, type Outcome, RollBug } from "./benchmark.ts";
import { benchmarks } from "./benchmarks/all.ts";
import { comparisonsWith } from "./comparison/all.ts";
import type { Comparison } from "./comparison/comparison.ts";
import { movementTable } from "./comparison/report.ts";
import { type BenchOptions, readOptions, usage } from "./options.ts";
import { describeMachine, loadAverage } from "./report/machine.ts";
import { type Results, type Run, readResults } from "./report/results.ts";
import { formatTable } from "./report/table.ts";
import { type BenchServer, type ServerOptions, startServer } from "./server/bench-server.ts";

const resultsFolder = join(import.meta.dirname, "../../../.dev/bench");

/** Exit code 1: a benchmark found a wrong roll or did not run. A mark that is not met is a result. */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    const list = benchmarks.map(({ id, title }) => `  ${id.padEnd(6)}${title}`);
    console.log([usage, "", ...list].join("\n"));
    return 0;
  }
  let options: BenchOptions;
  try {
    options = readOptions(args, { all: idsOf(benchmarks), comparisons: idsOf(comparisonsWith(undefined)) });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  }
  const startedAt = new Date();
  // Before the first run: somebody may bundle anew meanwhile.
  const machine = describeMachine();
  const runs: Run[] = [];
  const { peer, compareWith } = options;
  // Before the first run: a name that is wrong is better known at once.
  const earlier = compareWith === undefined ? undefined : readResults(compareWith).runs;
  const known = peer === undefined && compareWith === undefined ? benchmarks : comparisonsWith(peer);
  for (const benchmark of known.filter(({ id }) => options.ids.includes(id))) {
    const run = await runOne(benchmark, options);
    runs.push(run);
    console.log(`\n${format(run)}`);
    if (earlier !== undefined) console.log(`\n${movedSince(earlier, run)}`);
  }
  const file = writeResults({
    ...{ startedAt: startedAt.toISOString(), machine, runs },
    options: { ...options, peer: withoutPath(peer) },
  });
  console.log(
    `\nseed ${options.seed}${options.isQuick ? ", quick sizes: the figures mean nothing" : ""}; as JSON: ${file}`,
  );
  return runs.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

function idsOf(list: readonly Benchmark[]): readonly string[] {
  return list.map(({ id }) => id);
}

/** By how much our ratios moved; a run that did not end has none. */
function movedSince(earlier: readonly Run[], { id, outcome, server }: Run): string {
  const before = earlier.find((run) => run.id === id && run.server === server)?.outcome;
  // Both were written by a comparison: no other benchmark runs with --compare.
  const table =
    before && outcome && movementTable(before.measures as Comparison, outcome.measures as Comparison);
  if (table === undefined || table.rows.length === 0)
    return `${id}: nothing to compare with: no run of the same scenario, size and API server`;
  return formatTable(table);
}

async function runOne({ id, title, run }: Benchmark, options: BenchOptions): Promise<Run> {
  const { isReal, isQuick, size, seed } = options;
  const loadBefore = loadAverage();
  const beganAt = performance.now();
  let server = "none";
  let outcome: Outcome | undefined;
  let problems: readonly string[] = [];
  const startBenchServer = async (
    wish: Omit<ServerOptions, "isReal"> = { controllers: options.controllers },
  ): Promise<BenchServer> => {
    const started = await startServer({ isReal, ...wish });
    server = started.description;
    return started;
  };
  const say = (line: string) => console.error(`· ${id} ${line}`);
  say(title);
  try {
    outcome = await run({ isReal, isQuick, size, seed, startServer: startBenchServer, say });
  } catch (error) {
    problems =
      error instanceof RollBug
        ? error.problems.map((problem) => `BUG ${problem}`)
        : [`did not run: ${detail(error)}`];
  }
  const seconds = (performance.now() - beganAt) / 1000;
  return { id, title, server, seconds, loadBefore, loadAfter: loadAverage(), outcome, problems };
}

function detail(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined
    ? (error.stack ?? error.message)
    : `${error.stack}\ncause: ${detail(error.cause)}`;
}

function format(run: Run): string {
  const head = [
    `${run.id}  ${run.title}`,
    `${run.server}; ${run.seconds.toFixed(0)} s; load average ${run.loadBefore} → ${run.loadAfter}`,
  ];
  if (run.outcome === undefined) return [...head, ...run.problems].join("\n");
  const { tables, marks, notes } = run.outcome;
  return [
    ...head,
    ...tables.map((table) => `\n${formatTable(table)}`),
    "",
    ...notes,
    ...marks.map(
      ({ figure, limit, value, isMet }) =>
        `${isMet ? "met    " : "NOT MET"} ${figure}: ${value}, mark ${limit}`,
    ),
  ].join("\n");
}

function withoutPath(peer: BenchOptions["peer"]): Results["options"]["peer"] {
  if (peer === undefined) return undefined;
  const { path: _, ...named } = peer;
  return named;
}

function writeResults(results: Results): string {
  mkdirSync(resultsFolder, { recursive: true });
  const file = join(resultsFolder, `${results.startedAt.replaceAll(":", "-")}.json`);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}

process.exitCode = await main(process.argv.slice(2));
