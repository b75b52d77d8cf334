import type { RolloutEnd } from "@fleet-reloader/domain/rollout-state/follow-up";
import type { RolloutEndedFact } from "../history/fact.ts";
import type { FactSubject, Recorder } from "../history/recorder.ts";
import type { Request } from "../ports/request.ts";
import { keptAfterBadEnd } from "./late-recovery.ts";
import type { EndedRun, RolloutRun, RolloutRuns } from "./rollout-runs.ts";

/** What it takes to end runs. */
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
 * Ends the runs of rollouts that have ended, and tells everybody. One that ended badly is kept for some time, in case that it recovers. For each:
 * false, and nothing is told, when a newer roll has replaced it.
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
        // After it: the end of this run does not settle a newer one.
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

/** Times of a cluster are used as long as its clock is off by no more than this. */
const skewMs = 5000;

/** The time the status says, where it says one; otherwise the time until the end was observed, which may be half a minute longer. */
function secondsTaken(run: RolloutRun, spentMs: number, end: RolloutEnd): number {
  const atMs = end.result === "healthy" && end.atSeconds !== undefined ? end.atSeconds * 1000 : undefined;
  const statusMs = atMs === undefined ? undefined : atMs - run.rolledAtMs;
  const isSane = statusMs !== undefined && statusMs >= -skewMs && statusMs <= spentMs;
  return (isSane ? Math.max(0, statusMs) : spentMs) / 1000;
}
