import { setTimeout as wait } from "node:timers/promises";
import { median } from "../stats/percentile.ts";
import { readTree, sumOf } from "./process-tree.ts";

export interface Memory {
  /** The whole tree, idle. */
  readonly steadyMiB: number;
  /** The highest that each process ever was, added up: at least what the tree needed at its worst moment. */
  readonly peakMiB: number;
  /** Steady, by program. */
  readonly byProgram: Readonly<Record<string, number>>;
}

/** A tool that has synced still compiles and collects; ours returns memory when it has been idle for five seconds. */
const calmMs = 12_000;
const fullSamples = 20;
const quickSamples = 3;
const sampleEveryMs = 100;

/** Waits until the tool is calm and reads its process tree. */
export async function measureMemory(pid: number, isQuick: boolean): Promise<Memory> {
  await wait(isQuick ? 200 : calmMs);
  const steady: number[] = [];
  for (let sample = 0; sample < (isQuick ? quickSamples : fullSamples); sample += 1) {
    steady.push(sumOf(readTree(pid), "rssMiB"));
    await wait(sampleEveryMs);
  }
  const tree = readTree(pid);
  return {
    steadyMiB: median(steady),
    peakMiB: sumOf(tree, "peakMiB"),
    byProgram: Object.fromEntries(tree.map(({ name, rssMiB }) => [name, rssMiB])),
  };
}
