import { execFileSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";

/** A limit on how many workloads are rolled. */
export interface Budget {
  readonly name: string;
  readonly args: readonly string[];
  /** Undefined: as many as can be. */
  readonly perSecond: number | undefined;
}

const none: Budget = { name: "none", args: [], perSecond: undefined };
const perSecond = 20;
const limited: Budget = {
  name: `${perSecond}/s in the cluster`,
  args: [`--budget-cluster=rate=${perSecond}/s`],
  perSecond,
};

/** Those that the bundled product knows. */
export function knownBudgets(): readonly Budget[] {
  const main = join(import.meta.dirname, "../../../../services/standalone/dist/main.mjs");
  const help = execFileSync(process.execPath, [main, "--help"], { encoding: "utf8" });
  return help.includes("--budget-cluster") ? [none, limited] : [none];
}

/** By how much the pace of rolls differs from the budget, as a share of it. What a full budget lets through at first is left out. */
export function budgetError(rolledAtSeconds: readonly number[], budgetPerSecond: number): number {
  const times = rolledAtSeconds.toSorted((a, b) => a - b).slice(budgetPerSecond);
  const [first, last] = [times[0] ?? Number.NaN, times.at(-1) ?? Number.NaN];
  return (times.length - 1) / (last - first) / budgetPerSecond - 1;
}
