import { asFault } from "@fleet-reloader/domain/fault";
import { createRecorder } from "../history/recorder.ts";
import type { ShownRollouts } from "../observe/shown-rollouts.ts";
import { requestKey } from "../ports/request.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import { type Concluding, conclude, type EndedRollout } from "./conclude.ts";
import type { FollowerOptions } from "./follow-rollout.ts";
import { lookAtShown } from "./rollout-look.ts";
import { followAtOnce, type StartedRun } from "./rollout-runs.ts";

export interface ShownEndsOptions
  extends Omit<FollowerOptions, "settings" | "shown" | "onSettled">,
    Pick<Concluding, "onSettled"> {
  readonly shown: Pick<ShownRollouts, "of">;
  readonly queue: Pick<Workqueue, "add">;
  /** Ends the wait for ends when the process stops. The rollouts still awaited were left to the watcher of their cluster. */
  readonly lifetime: AbortSignal;
}

/** How late an end is noticed here. */
const endsSeenEveryMs = 500;

/** An end that the watches show. */
type SeenEnd = Omit<EndedRollout, "cluster">;

/** The next step of an awaited rollout: it has ended, a worker has to look at it, or it goes on. */
type NextOfRollout = SeenEnd | "ask" | "wait";

/**
 * Awaits the rollouts of this process's own rolls on its own watches. A rollout that they show to be healthy is reported without a
 * request in the queue and without a read. Any other is put into the queue for a worker: at the first check where the watches do not show
 * that it goes on, and otherwise when it is slow.
 */
export class ShownEnds {
  readonly #options: ShownEndsOptions;
  readonly #concluding: Concluding;
  readonly #awaited = new Map<string, StartedRun>();
  #running: Promise<void> | undefined;

  constructor(options: ShownEndsOptions) {
    const { clock, history, log, meter, onSettled, reporter, runs, tracer } = options;
    this.#options = options;
    const recorder = createRecorder({ clock, log, meter, reporter, history, tracer });
    this.#concluding = { runs, recorder, onSettled };
  }

  /** Returns at once. A newer roll of a workload replaces the one before. */
  await(started: readonly StartedRun[]): void {
    for (const one of started) this.#awaited.set(requestKey(one.request), one);
    if (this.#awaited.size > 0) this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    const { clock, lifetime, log } = this.#options;
    while (this.#awaited.size > 0 && !lifetime.aborted) {
      try {
        await clock.sleep(endsSeenEveryMs, lifetime);
        await this.#look();
      } catch (error) {
        // A rollout that was not passed on is looked at again.
        if (!lifetime.aborted) log.debug({ err: asFault(error).message }, "rollouts could not be ended");
      }
    }
    this.#running = undefined;
  }

  async #look(): Promise<void> {
    const { queue } = this.#options;
    const next = [...this.#awaited.values()].map((one) => ({ one, what: this.#nextOf(one) }));
    const asked = next.flatMap(({ one, what }) => (what === "ask" ? [one] : []));
    if (asked.length > 0) await queue.add(asked.map(followAtOnce));
    this.#forget(asked);
    const ended = next.flatMap(({ one, what }) => (typeof what === "string" ? [] : [{ one, what }]));
    // Forgotten first: a second report is worse than a late one, and the watcher of its cluster takes over what fails now.
    this.#forget(ended.map(({ one }) => one));
    await this.#tell(ended.map(({ what }) => what));
  }

  #nextOf({ request, run }: StartedRun): NextOfRollout {
    const { clock, firstCheckMs, shown } = this.#options;
    const spentMs = Math.max(0, clock.now() - run.rolledAtMs);
    if (spentMs < firstCheckMs) return "wait";
    const look = lookAtShown({ request, run, shown, spentMs });
    if (look?.type === "unfinished") return "wait";
    return look === undefined ? "ask" : { request, run, spentMs, uid: look.uid, end: look.end };
  }

  /** Rollouts of a cluster that has gone are looked at by its next watcher. */
  async #tell(seen: readonly SeenEnd[]): Promise<void> {
    const ended = await Promise.all(
      seen.map(async (one) => {
        const cluster = await this.#options.engaged(one.request.cluster);
        return cluster === undefined ? [] : [{ ...one, cluster }];
      }),
    );
    if (ended.length > 0) await conclude(this.#concluding, ended.flat());
  }

  /** A roll that has come meanwhile stays. */
  #forget(runs: readonly StartedRun[]): void {
    for (const one of runs) {
      const key = requestKey(one.request);
      if (this.#awaited.get(key) === one) this.#awaited.delete(key);
    }
  }
}
