import { asFault, type Fault } from "@fleet-reloader/domain/fault";
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

/** Accepts rolls that are to be followed. */
export interface FollowUps {
  /** Returns at once, and nothing waits for it. `made`: the workload as the write left it, if that is known. */
  rolled(started: StartedRun & { readonly made?: Omit<AwaitedRoll, "rolledAtMs"> | undefined }): void;
  /** Resolves when all rolls are in the queue, or the grace period is over. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Long enough that a fan-out costs a few round trips and not one for each roll. Short compared to the interval at which an autoscaler
 * asks for the queue depth, which does not count these rolls yet. If a worker is killed, the rolls of this time are not followed: budgets
 * release them when their leases end.
 */
const followGatherMs = 200;

/** The longest pause between two tries while Redis refuses. The pause starts at the time of gathering and doubles. */
const followAgainMaxMs = 10_000;

/** The most refused rolls that are kept, some megabytes. Beyond that they are given up. */
const refusedMax = 10_000;

/** By then this process has checked a rollout that it awaits on its own watches, and has asked a worker if it is slow. */
const leftAfterMs = patienceMs + 5000;

interface Gathered extends StartedRun {
  readonly isWatched: boolean;
}

/**
 * Puts written rolls into the queue once more, to be followed. It does so in bulk and in the background, so that the next roll does not
 * wait for it. If this process's own watches show a rollout, it is awaited on them instead, and left to the watcher of its cluster in
 * case this process ends.
 */
export function createFollowUps(options: FollowUpsOptions): FollowUps {
  const { watched, clock } = options;
  const waiting = new WaitingRolls(options);
  const drain = new Drain({
    hasMore: () => waiting.size > 0,
    gather: (hurry) => clock.sleep(waiting.pauseMs, hurry).catch(() => undefined),
    flush: (hurry) => waiting.passOn(hurry),
  });

  return {
    rolled({ request, run, made }) {
      const isWatched = watched !== undefined && made !== undefined;
      if (isWatched) watched.shown.await(request, { ...made, rolledAtMs: run.rolledAtMs });
      waiting.add({ request, run, isWatched });
      drain.begin();
    },
    async stop(graceMs) {
      await atMost(graceMs, clock, drain.finish());
    },
  };
}

/** The rolls that are not followed yet. A step that Redis refuses is retried until it succeeds. */
class WaitingRolls {
  readonly #options: FollowUpsOptions;
  /** Rolls whose runs have not begun. */
  readonly #rolled: Gathered[] = [];
  /** Rolls whose runs have begun, to be put into the queue. Their runs must not begin again: one may have ended meanwhile. */
  readonly #begun: Gathered[] = [];
  #pauseMs = followGatherMs;

  constructor(options: FollowUpsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#rolled.length + this.#begun.length;
  }

  /** The pause before the next try. */
  get pauseMs(): number {
    return this.#pauseMs;
  }

  add(rolled: Gathered): void {
    this.#rolled.push(rolled);
  }

  /** Tries once to pass on the waiting rolls. Rolls that are refused after the abort are given up. */
  async passOn(hurry: AbortSignal): Promise<void> {
    const isLastTry = hurry.aborted || this.size > refusedMax;
    const clusters = Map.groupBy(this.#rolled.splice(0), ({ request }) => request.cluster);
    const started = [...clusters.values()].map((batch) =>
      whyRefused(() => this.#start(batch), isLastTry ? [] : this.#rolled, batch),
    );
    const refusals = await Promise.all(started);
    const begun = this.#begun.splice(0);
    refusals.push(await whyRefused(() => this.#follow(begun), isLastTry ? [] : this.#begun, begun));
    this.#pace(
      refusals.find((refusal) => refusal !== undefined),
      isLastTry,
    );
  }

  async #start(batch: readonly Gathered[]): Promise<void> {
    const { clock, runs, watched } = this.#options;
    const lookAtMs = clock.now() + leftAfterMs;
    const started = batch.map(({ request, run, isWatched }) => ({
      request,
      run,
      ...(isWatched && { lookAtMs }),
    }));
    await runs.start(started);
    watched?.ends.await(started.filter((_, at) => batch[at]?.isWatched));
    this.#begun.push(...batch.filter(({ isWatched }) => !isWatched));
  }

  async #follow(batch: readonly Gathered[]): Promise<void> {
    const { firstCheckMs, queue } = this.#options;
    const window = { quietPeriodMs: firstCheckMs, maxWaitMs: firstCheckMs, purpose: "follow" } as const;
    if (batch.length > 0) await queue.add(batch.map(({ request }) => ({ request, ...window })));
  }

  #pace(refusal: Fault | undefined, isLastTry: boolean): void {
    const isFirstTry = this.#pauseMs === followGatherMs;
    this.#pauseMs = refusal === undefined ? followGatherMs : Math.min(2 * this.#pauseMs, followAgainMaxMs);
    if (refusal === undefined || !(isFirstTry || isLastTry)) return;
    const fields = { reason: refusal.code, err: refusal.message };
    this.#options.log.warn(fields, isLastTry ? "rolls are not followed" : "rolls are followed later");
  }
}

/** Runs a step. A refused batch goes back ahead of the rolls that came since: of two rolls of a workload the newer one counts. */
async function whyRefused(
  step: () => Promise<void>,
  waiting: Gathered[],
  batch: readonly Gathered[],
): Promise<Fault | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    waiting.unshift(...batch);
    return asFault(error);
  }
}
