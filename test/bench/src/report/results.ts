import { readFileSync } from "node:fs";
import type { Outcome } from "../benchmark.ts";
import type { BenchOptions } from "../options.ts";
import type { Machine } from "./machine.ts";

/** One benchmark of a run. */
export interface Run {
  readonly id: string;
  readonly title: string;
  readonly server: string;
  readonly seconds: number;
  readonly loadBefore: number;
  readonly loadAfter: number;
  readonly outcome: Outcome | undefined;
  /** Missed and spurious rolls, or why it could not be run: then there is no outcome. */
  readonly problems: readonly string[];
}

/** What a run of `./dev bench` writes. */
export interface Results {
  readonly startedAt: string;
  readonly machine: Machine;
  /** Without the place of the peer: results are handed around. */
  readonly options: Omit<BenchOptions, "peer"> & {
    readonly peer: Omit<NonNullable<BenchOptions["peer"]>, "path"> | undefined;
  };
  readonly runs: readonly Run[];
}

export function readResults(file: string): Results {
  return JSON.parse(readFileSync(file, "utf8"));
}
