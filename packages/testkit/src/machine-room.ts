import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as wait } from "node:timers/promises";

/** Beside three clones of all tests, 30 to 40 threads for each core made a start of the product take ten seconds and more, and what it asked for timed out. */
const runnablePerCore = 12;

/** Whoever else uses the machine may never let it rest. */
const patienceMs = 60_000;

/**
 * Waits until the machine has room for one more that works, and a minute at most. Tests mostly wait, so many run at a time; those that happen to
 * work together, and those of other runs beside them, would keep each other from answers within the times that the product allows.
 */
export async function machineRoom(): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  do {
    // Not all that wait begin in the same moment.
    await wait(50 + Math.random() * 450);
  } while (runnable() > runnablePerCore * availableParallelism() && performance.now() < untilMs);
}

/** How many threads of the machine run or want to, as Linux counts them: `0.20 0.18 0.12 1/80 11206`. */
function runnable(): number {
  const [, count] = /\s(\d+)\//.exec(readFileSync("/proc/loadavg", "utf8")) ?? [];
  return Number(count ?? 0);
}
