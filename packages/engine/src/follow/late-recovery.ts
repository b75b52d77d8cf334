import { nextLookMs } from "@fleet-reloader/domain/rollout-state/follow-up";
import type { KeptRun, RolloutRun } from "./rollout-runs.ts";

/** For so long after a bad end a rollout may recover: nobody is called at night for it, and somebody mends it in the morning. */
const recoveryMs = 24 * 3_600_000;
/** Somebody who mends a rollout looks at once whether it is done. */
const soonestMs = 30_000;
/** One that lasts is mended by nobody in this minute, and each look reads the workload. */
const latestMs = 10 * 60_000;

/** A run, and how long ago its roll was. */
interface RunInTime {
  readonly run: RolloutRun;
  readonly spentMs: number;
}

/** What is kept of a run whose rollout has just ended badly. */
export function keptAfterBadEnd({ run, spentMs }: RunInTime, uid: string): KeptRun {
  const { rolledAtMs, sources } = run;
  const atMs = rolledAtMs + spentMs;
  return { run: { rolledAtMs, sources, badEnd: { uid, atMs } }, lookAtMs: atMs + soonestMs };
}

/** Whether the time is over in which the rollout may recover. */
export function isGivenUp({ run, spentMs }: RunInTime): boolean {
  return sinceBadEndMs({ run, spentMs }) >= recoveryMs;
}

/** When to look at the rollout again, in milliseconds; at one that ended badly, ever more seldom. */
export function lookAgainMs({ run, spentMs }: RunInTime, firstMs: number): number {
  if (run.badEnd === undefined) return nextLookMs(spentMs, firstMs);
  return Math.min(latestMs, Math.max(soonestMs, sinceBadEndMs({ run, spentMs }) / 10));
}

function sinceBadEndMs({ run, spentMs }: RunInTime): number {
  const { badEnd, rolledAtMs } = run;
  return badEnd === undefined ? 0 : rolledAtMs + spentMs - badEnd.atMs;
}
