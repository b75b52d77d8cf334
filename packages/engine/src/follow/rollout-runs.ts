import type { CausingSource } from "../history/history.ts";
import type { ClusterId, Request } from "../ports/request.ts";
import type { Addition } from "../ports/workqueue.ts";

/** What is kept of a roll to follow it: names and times. */
export interface RolloutRun {
  readonly rolledAtMs: number;
  readonly sources: readonly CausingSource[];
  /** Its rollout ended badly, which was told; it is kept in case that the rollout recovers. Absent: it goes on. */
  readonly badEnd?: BadEnd;
}

/** The bad end of a rollout: of which object, and when it was seen. */
export interface BadEnd {
  readonly uid: string;
  readonly atMs: number;
}

/**
 * The rollouts that are followed, so that any worker can continue with one. There is at most one for each workload: a newer roll
 * replaces the one before. A missing one has ended or was lost: there is nothing to follow.
 */
export interface RolloutRuns {
  start(started: readonly StartedRun[]): Promise<void>;
  find(request: Request): Promise<RolloutRun | undefined>;
  /** For each: false, and nothing is ended or kept, when another run has begun since. A lost run counts as ended, and nothing is kept of it. */
  end(ended: readonly EndedRun[]): Promise<readonly boolean[]>;
  /**
   * Leaves the run to the process that watches the cluster, which looks at it no earlier than at this wall time. A repeat moves the time.
   * Resolves to false, and leaves nothing, when the run has ended or another has begun since.
   */
  leave(request: Request, run: RolloutRun, lookAtMs: number): Promise<boolean>;
  /** The runs of a cluster that were left to its watcher and whose time has come by then, those first that wait longest; at most 500. */
  due(cluster: ClusterId, untilMs: number): Promise<readonly StartedRun[]>;
}

/** A run that begins. */
export interface StartedRun {
  readonly request: Request;
  readonly run: RolloutRun;
  /** Left from its beginning to the process that watches the cluster, as by `leave`. Absent: it is not left. */
  readonly lookAtMs?: number;
}

/** A run that ends. */
export interface EndedRun extends Pick<StartedRun, "request" | "run"> {
  /** Takes its place. Absent: nothing does. */
  readonly kept?: KeptRun;
}

/** A run in the place of one that has ended, left to the process that watches the cluster, as by `leave`. */
export interface KeptRun {
  readonly run: RolloutRun;
  readonly lookAtMs: number;
}

/** Asks a worker to look at a rollout as soon as its turn comes. */
export function followAtOnce({ request }: Pick<StartedRun, "request">): Addition {
  return { request, quietPeriodMs: 0, maxWaitMs: 0, purpose: "follow" };
}
