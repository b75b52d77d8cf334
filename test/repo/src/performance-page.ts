import { globSync } from "node:fs";
import { join } from "node:path";
import { type Comparison, medianOf, type Ratio, ratioTo } from "../../bench/src/comparison/comparison.ts";
import { comparisonTable, wrongRollsOf } from "../../bench/src/comparison/report.ts";
import { type Results, type Run, readResults } from "../../bench/src/report/results.ts";
import { figure, type Table } from "../../bench/src/report/table.ts";
import { root } from "./root.ts";

const folder = "test/bench/accepted";
/** `docs/performance.md`, from the results of the runs that were accepted last. */
export function performancePage(made: string): string {
  const files = globSync(`${folder}/*.json`, { cwd: root }).toSorted();
  const accepted = files.flatMap((file) => {
    const results = readResults(join(root, file));
    return results.runs.map((run) => ({ results, run }));
  });
  const linesOf = (counts: (ratio: Ratio) => boolean) =>
    accepted.flatMap(({ run }) => differences(run, counts));
  return `# Performance

${made} Its figures are those of the files in [${folder}](../${folder}), which
\`./dev bench\` wrote. Less is better in all of them.

This page compares fleet-reloader (*ours*) with Stakater Reloader (*the peer*): how long a change takes until the API server shows the new pod
template, and what that costs. The peer is the program itself, built from the sources of its release, and not a model of it. The *floor* is a bare client that
does the least that a roll takes: it sees the change and sends the PATCH, or, in B03, only sends PATCHes with 8 in flight. What is above it is the reloader.

${accepted.map(({ run, results }) => section(run, results)).join("\n")}
## Where we lose

${bullets([...accepted.flatMap(({ run }) => debounceOf(run)), ...linesOf(({ least }) => least > 1)])}

## Where we win

${bullets(linesOf(({ most }) => most < 1))}

## Not clear

Ours was ahead in some rounds and behind in others.

${bullets(linesOf(({ least, most }) => least <= 1 && most >= 1))}

## How it is measured

- An API server (kube-apiserver and etcd, unmodified), the reloader, and the client that writes and observes run on one machine. There are no nodes and no
  controllers, so a roll ends with its new pod template; no pod starts.
- The arms run in turn: one block each a round, every second round backwards. A ratio is taken within a round, so that a machine that gets slower is
  slower for all. A table shows the median of the blocks, and in brackets the least and the highest ratio of a round.
- Ours runs with \`--debounce=0\` and with breakers that never open, since the peer has neither. Everything else is as shipped.
- Each block starts the reloader anew, with a short warm-up: 40 changes in B01, 20 rolls in B03. Ours compiles while it runs, so it is slower and takes more
  CPU in its first seconds than a process that has run for a day.
- A block of ours with a missed or a spurious roll has no result. Those of the peer are counted.
- The peer lists five kinds of workloads for each change. This API server answers a list of what was written lately only when its cache has caught up
  with etcd, which takes up to 100 ms. It is a good part of the peer's time in B01, which may be shorter with Kubernetes before 1.34.
- Memory is the resident memory of all processes after the work, Redis included, in a cluster with few objects.

It does not measure pods that start, a cluster with many objects, several clusters, restarts, or several replicas.

## Measure it yourself

\`\`\`sh
./dev bench --real --peer PATH                       # any reloader that finds its cluster by KUBECONFIG
./dev bench --real --peer PATH --peer-opt-in KEY --peer-args "--flag=value"
./dev bench --real --compare FILE                    # by how much the ratios moved since the run that wrote FILE
\`\`\`

Machines are noisy, also when nothing else runs. Do not compare times of two machines, or of two hours; compare ratios. \`--compare\` names a ratio that moved by
more than 5 % *worse* or *better* only when no round of one run lies within the range of the other; otherwise it says *or noise*: run it again. To see a
regression before it lands, run \`--compare\` on \`main\` and on the branch, on one machine, with the same FILE. The second run may use the file of the first.

To accept a run, copy the file that it wrote to \`${folder}\`, named after its scenario, and generate this page.
`;
}

function section(
  { id, title, outcome, server, loadBefore, loadAfter }: Run,
  { machine, startedAt, options }: Results,
): string {
  const comparison = comparisonOf({ outcome });
  if (comparison === undefined) throw new Error(`${folder}: ${id} has no result`);
  const { peer } = options;
  const args =
    peer === undefined || peer.args.length === 0 ? "without arguments" : `with \`${peer.args.join(" ")}\``;
  const { missed, spurious } = wrongRollsOf(comparison);
  return `## ${id}: ${title}

What runs: ${comparison.scenario}.

${markdown(comparisonTable(comparison))}

Measured on ${startedAt.slice(0, 10)} at commit ${machine.commit}: ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGiB} GiB, Node ${machine.node}; ${server}; load average
${loadBefore} before and ${loadAfter} after. ${
    peer === undefined
      ? ""
      : `${peer.name} ran ${args}; of its rolls ${missed} were missing and ${spurious} too many.`
  }
`;
}

function comparisonOf({ outcome }: Pick<Run, "outcome">): Comparison | undefined {
  // The folder holds results of comparisons alone.
  return outcome?.measures as Comparison | undefined;
}

function debounceOf(run: Run): readonly string[] {
  const wait = comparisonOf(run)?.defaultDebounce;
  return wait === undefined
    ? []
    : [
        `With its default settings ours waits until a source was quiet for 2 s: p50 ${figure(wait.p50Ms / 1000)} s from a write to its new template. The peer does not wait; it rolls once a write.`,
      ];
}

/** Figures in which ours and the peer differ in this way, in all rounds. */
function differences(run: Run, counts: (ratio: Ratio) => boolean): readonly string[] {
  const comparison = comparisonOf(run);
  return (comparison?.figures ?? []).flatMap(({ name, unit }) => {
    const ratio = comparison && ratioTo(comparison, "peer", name);
    if (comparison === undefined || ratio === undefined || !counts(ratio)) return [];
    const value = (arm: "ours" | "peer") => {
      const text = figure(medianOf(comparison, arm, name) ?? Number.NaN);
      return unit === "" ? text : `${text} ${unit}`;
    };
    return [`${run.id}, ${name}: ${value("ours")} against ${value("peer")}.`];
  });
}

function bullets(lines: readonly string[]): string {
  return lines.length === 0 ? "In none of the figures above." : lines.map((line) => `- ${line}`).join("\n");
}

function markdown({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map((_, at) => (at === 0 ? "---" : "---:"))), ...rows.map(line)].join(
    "\n",
  );
}
