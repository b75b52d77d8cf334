import type { Table } from "./report/table.ts";
import type { BenchServer, ServerOptions } from "./server/bench-server.ts";

/** What a benchmark is given. */
export interface BenchContext {
  readonly isReal: boolean;
  /** Small sizes: shows that everything runs, not how quick it is. */
  readonly isQuick: boolean;
  /** Replaces the benchmark's main size. */
  readonly size: number | undefined;
  readonly seed: number;
  /** An empty API server of this run's kind; the benchmark ends it. */
  readonly startServer: (options?: Omit<ServerOptions, "isReal">) => Promise<BenchServer>;
  /** Progress, for whoever waits. */
  readonly say: (line: string) => void;
}

/** A promise of the product about one figure. */
export interface Mark {
  readonly figure: string;
  readonly limit: string;
  readonly value: string;
  readonly isMet: boolean;
}

export interface Outcome {
  readonly tables: readonly Table[];
  readonly marks: readonly Mark[];
  readonly notes: readonly string[];
  /** The figures behind the tables, for the JSON file. */
  readonly measures: object;
}

export interface Benchmark {
  readonly id: string;
  /** What it measures, in one line. */
  readonly title: string;
  readonly run: (context: BenchContext) => Promise<Outcome>;
}

/** A missed or spurious roll. A run with one has no result: what it would measure is something else. */
export class RollBug extends Error {
  override readonly name = "RollBug";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** Named problems first, the rest counted: a thousand missed rolls are one line to read. */
const problemsShown = 5;

export function assertNoBug(what: string, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const rest = problems.length - problemsShown;
  const shown = problems.slice(0, problemsShown).map((problem) => `${what}: ${problem}`);
  throw new RollBug(rest > 0 ? [...shown, `${what}: and ${rest} more`] : shown);
}
