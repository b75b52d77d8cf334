import type { RolloutEnd } from "@fleet-reloader/domain/rollout-state/follow-up";
import type { RolloutEndedFact } from "../history/fact.ts";
import type { FactSubject, Recorder } from "../history/recorder.ts";
import type { Request } from "../ports/request.ts";
import { keptAfterBadEnd } from "./late-recovery.ts";
import type { EndedRun, RolloutRun, RolloutRuns } from "./rollout-runs.ts";

/** The dependencies of `conclude`. */
export interface Concluding {
  readonly runs: Pick<RolloutRuns, "end">;
  readonly recorder: Recorder;
  readonly onSettled: (request: Request, ageMs: number) => Promise<void>;
}

/** A rollout that was observed to have ended. */
export interface EndedRollout extends FactSubject {
  readonly run: RolloutRun;
  /** Since the roll. */
  readonly spentMs: number;
  readonly uid: string;
  readonly end: RolloutEnd;
}

/**
 * Ends the runs of rollouts that have ended, and records each end. A run that ended badly is kept for some time, because it may recover.
 * Resolves, for each run, to false when a newer roll has replaced it; then nothing is recorded.
 */
export async function conclude(
  { onSettled, recorder, runs }: Concluding,
  ended: readonly EndedRollout[],
): Promise<readonly boolean[]> {
  const areEnded = await runs.end(ended.map(runToEnd));
  await Promise.all(
    ended.map(async (rollout, at) => {
      if (areEnded[at] !== true) return;
      try {
        // After `runs.end`: the end of this run must not settle a newer one.
        await onSettled(rollout.request, rollout.spentMs);
      } finally {
        recorder.record(rollout, [endedFact(rollout)]);
      }
    }),
  );
  return areEnded;
}

function runToEnd({ end, request, run, spentMs, uid }: EndedRollout): EndedRun {
  if (end.result === "healthy") return { request, run };
  return { request, run, kept: keptAfterBadEnd({ run, spentMs }, uid) };
}

function endedFact({ run, spentMs, uid, end }: EndedRollout): RolloutEndedFact {
  const { result, reason } = end;
  const message = end.result === "healthy" ? "" : end.message;
  const seconds = secondsTaken(run, spentMs, end);
  const { rolledAtMs, sources } = run;
  const isRecovery = run.badEnd !== undefined;
  return { type: "rollout-ended", uid, result, reason, message, rolledAtMs, seconds, sources, isRecovery };
}

/** Times of a cluster are used if its clock is off by no more than this. */
const skewMs = 5000;

/** The duration from the times in the status, if it has them; otherwise until the end was observed, up to half a minute longer. */
function secondsTaken(run: RolloutRun, spentMs: number, end: RolloutEnd): number {
  const atMs = end.result === "healthy" && end.atSeconds !== undefined ? end.atSeconds * 1000 : undefined;
  const statusMs = atMs === undefined ? undefined : atMs - run.rolledAtMs;
  const isSane = statusMs !== undefined && statusMs >= -skewMs && statusMs <= spentMs;
  return (isSane ? Math.max(0, statusMs) : spentMs) / 1000;
}
