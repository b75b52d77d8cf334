import { nextLookMs } from "@fleet-reloader/domain/rollout-state/follow-up";
import type { KeptRun, RolloutRun } from "./rollout-runs.ts";

/** How long a rollout may recover after a bad end: nobody is called at night for it, and somebody mends it in the morning. */
const recoveryMs = 24 * 3_600_000;
/** The shortest wait: somebody who mends a rollout checks at once whether it worked. */
const soonestMs = 30_000;
/** The longest wait: a bad end that lasts is not mended at any moment, and each look reads the workload. */
const latestMs = 10 * 60_000;

/** A run, and how long ago its roll was. */
interface RunInTime {
  readonly run: RolloutRun;
  readonly spentMs: number;
}

/** The run to keep when a rollout has just ended badly. */
export function keptAfterBadEnd({ run, spentMs }: RunInTime, uid: string): KeptRun {
  const { rolledAtMs, sources } = run;
  const atMs = rolledAtMs + spentMs;
  return { run: { rolledAtMs, sources, badEnd: { uid, atMs } }, lookAtMs: atMs + soonestMs };
}

/** Whether the time in which the rollout may recover is over. */
export function isGivenUp({ run, spentMs }: RunInTime): boolean {
  return sinceBadEndMs({ run, spentMs }) >= recoveryMs;
}

/** When to look at the rollout again, in milliseconds. After a bad end the looks become ever rarer. */
export function lookAgainMs({ run, spentMs }: RunInTime, firstMs: number): number {
  if (run.badEnd === undefined) return nextLookMs(spentMs, firstMs);
  return Math.min(latestMs, Math.max(soonestMs, sinceBadEndMs({ run, spentMs }) / 10));
}

function sinceBadEndMs({ run, spentMs }: RunInTime): number {
  const { badEnd, rolledAtMs } = run;
  return badEnd === undefined ? 0 : rolledAtMs + spentMs - badEnd.atMs;
}
