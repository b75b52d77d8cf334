import { asFault } from "@fleet-reloader/domain/fault";
import { patienceMs } from "@fleet-reloader/domain/rollout-state/follow-up";
import { atMost } from "../async/at-most.ts";
import type { Clock } from "../async/clock.ts";
import { Drain } from "../async/drain.ts";
import type { AwaitedRoll, ShownRollouts } from "../observe/shown-rollouts.ts";
import type { Log } from "../ports/log.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import type { RolloutRuns, StartedRun } from "./rollout-runs.ts";
import type { ShownEnds } from "./shown-ends.ts";

export interface FollowUpsOptions {
  readonly runs: RolloutRuns;
  readonly queue: Pick<Workqueue, "add">;
  /** The time from a roll to the first observation of its rollout. */
  readonly firstCheckMs: number;
  /** Where this process's own watches show how its rollouts go. Absent: it watches nothing. */
  readonly watched?: WatchedRollouts | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WatchedRollouts {
  readonly shown: Pick<ShownRollouts, "await">;
  readonly ends: Pick<ShownEnds, "await">;
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

/** By then this process has looked at a rollout that it awaits on its own watches, and asked a worker where they do not tell its end. */
const leftAfterMs = patienceMs + 5000;

interface Gathered extends StartedRun {
  readonly isWatched: boolean;
}

/**
 * Puts rolls that were written into the queue once more, to be followed. It does so in bulk and beside the work, so that the next roll
 * does not wait for it. One whose rollout this process's own watches show is awaited on them instead, and left to the watcher of its cluster
 * in case that this process ends.
 */
export function createFollowUps(options: FollowUpsOptions): FollowUps {
  const { runs, queue, firstCheckMs, watched, clock, log } = options;
  const gathered: Gathered[] = [];
  const drain = new Drain({
    hasMore: () => gathered.length > 0,
    gather: (hurry) => clock.sleep(followGatherMs, hurry).catch(() => undefined),
    flush: () => passOn(gathered.splice(0)),
  });

  return {
    rolled({ request, run, made }) {
      const { rolledAtMs } = run;
      const isWatched = watched !== undefined && made !== undefined;
      if (isWatched) watched.shown.await(request, { ...made, rolledAtMs });
      gathered.push({ request, run, isWatched, ...(isWatched && { lookAtMs: rolledAtMs + leftAfterMs }) });
      drain.begin();
    },
    async stop(graceMs) {
      await atMost(graceMs, clock, drain.finish());
    },
  };

  async function passOn(batch: readonly Gathered[]): Promise<void> {
    try {
      await runs.start(batch);
      const asked = batch.filter(({ isWatched }) => !isWatched);
      const window = { quietPeriodMs: firstCheckMs, maxWaitMs: firstCheckMs, purpose: "follow" } as const;
      if (asked.length > 0) await queue.add(asked.map(({ request }) => ({ request, ...window })));
      watched?.ends.await(batch.filter(({ isWatched }) => isWatched));
    } catch (error) {
      log.warn({ reason: asFault(error).code, err: asFault(error).message }, "rolls are not followed");
    }
  }
}
