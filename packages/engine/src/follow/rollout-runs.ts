import type { CausingSource } from "../history/history.ts";
import type { Request } from "../ports/request.ts";

/** What has to be known of a roll to follow it: names and times. */
export interface RolloutRun {
  readonly rolledAtMs: number;
  readonly sources: readonly CausingSource[];
}

/**
 * The rollouts that are followed, so that any worker can go on with one. At most one for each workload: a newer roll takes the place
 * of the one before. One that is missing has ended, or was lost: there is nothing to follow any more.
 */
export interface RolloutRuns {
  start(started: readonly StartedRun[]): Promise<void>;
  find(request: Request): Promise<RolloutRun | undefined>;
  /** False, and nothing is ended, when another run has begun since. One that is lost is ended. */
  end(request: Request, run: RolloutRun): Promise<boolean>;
}

/** A run that begins. */
export interface StartedRun {
  readonly request: Request;
  readonly run: RolloutRun;
}
