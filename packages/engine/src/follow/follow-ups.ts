import { asFault } from "@fleet-reloader/domain/fault";
import { atMost } from "../async/at-most.ts";
import type { Clock } from "../async/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import type { RolloutRuns, StartedRun } from "./rollout-runs.ts";

export interface FollowUpsOptions {
  readonly runs: RolloutRuns;
  readonly queue: Pick<Workqueue, "add">;
  /** After a roll until its rollout is looked at for the first time, in milliseconds. */
  readonly firstCheckMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where rolls are handed to, to be followed. */
export interface FollowUps {
  /** Returns at once, and is never waited for. */
  rolled(started: StartedRun): void;
  /** Resolves when all that was handed in is in the queue, or there is no more time. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Long enough that a fan-out costs a few round trips and not one for each roll; short against the questions of who scales, for whom
 * there is nothing to do meanwhile. A worker that is killed leaves the rolls of this time unfollowed: their budgets get them back when
 * their leases run out.
 */
const gatherMs = 200;

/**
 * Puts rolls that were written into the queue once more, to be followed. In bulk and beside the work, so that the next roll does not
 * wait for it.
 */
export function createFollowUps(options: FollowUpsOptions): FollowUps {
  const { runs, queue, firstCheckMs, clock, log } = options;
  const hurry = new AbortController();
  let gathered: StartedRun[] = [];
  let passingOn: Promise<void> | undefined;

  return {
    rolled(started) {
      gathered.push(started);
      passingOn ??= passAllOn();
    },
    async stop(graceMs) {
      hurry.abort();
      await atMost(graceMs, clock, passingOn);
    },
  };

  async function passAllOn(): Promise<void> {
    while (gathered.length > 0) {
      await clock.sleep(gatherMs, hurry.signal).catch(() => undefined);
      const batch = gathered;
      gathered = [];
      await passOn(batch);
    }
    // At once: whoever hands in something from now on has to begin anew.
    passingOn = undefined;
  }

  async function passOn(batch: readonly StartedRun[]): Promise<void> {
    try {
      await runs.start(batch);
      const window = { quietPeriodMs: firstCheckMs, maxWaitMs: firstCheckMs, purpose: "follow" } as const;
      await queue.add(batch.map(({ request }) => ({ request, ...window })));
    } catch (error) {
      log.warn({ reason: asFault(error).code, err: asFault(error).message }, "rolls are not followed");
    }
  }
}
