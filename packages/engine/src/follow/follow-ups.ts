import { asFault } from "@fleet-reloader/domain/fault";
import { atMost } from "../async/at-most.ts";
import type { Clock } from "../async/clock.ts";
import { Drain } from "../async/drain.ts";
import type { AwaitedRoll, ShownRollouts } from "../observe/shown-rollouts.ts";
import type { Log } from "../ports/log.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import type { RolloutRuns, StartedRun } from "./rollout-runs.ts";

export interface FollowUpsOptions {
  readonly runs: RolloutRuns;
  readonly queue: Pick<Workqueue, "add">;
  /** The time from a roll to the first observation of its rollout. */
  readonly firstCheckMs: number;
  /** Rollouts as the watches of this process show them. Absent: it watches nothing. */
  readonly shown?: Pick<ShownRollouts, "await"> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes rolls that are to be followed. */
export interface FollowUps {
  /** Returns at once. Nobody waits for it. `made`: what the write made of the workload, where that is known. */
  rolled(started: StartedRun & { readonly made?: Omit<AwaitedRoll, "rolledAtMs"> | undefined }): void;
  /** Resolves when all rolls are in the queue, or the grace period is over. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Long enough that a fan-out costs a few round trips and not one for each roll. Short against the interval at which an autoscaler asks
 * for the queue depth, which does not count these rolls yet. A worker that is killed leaves the rolls of this time unfollowed: budgets
 * release them when their leases end.
 */
const followGatherMs = 200;

/**
 * Puts rolls that were written into the queue once more, to be followed. It does so in bulk and beside the work, so that the next roll
 * does not wait for it.
 */
export function createFollowUps(options: FollowUpsOptions): FollowUps {
  const { runs, queue, firstCheckMs, shown, clock, log } = options;
  const gathered: StartedRun[] = [];
  const drain = new Drain({
    hasMore: () => gathered.length > 0,
    gather: (hurry) => clock.sleep(followGatherMs, hurry).catch(() => undefined),
    flush: () => passOn(gathered.splice(0)),
  });

  return {
    rolled({ request, run, made }) {
      if (made !== undefined) shown?.await(request, { ...made, rolledAtMs: run.rolledAtMs });
      gathered.push({ request, run });
      drain.begin();
    },
    async stop(graceMs) {
      await atMost(graceMs, clock, drain.finish());
    },
  };

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
