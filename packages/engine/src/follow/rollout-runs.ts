import type { CausingSource } from "../history/history.ts";
import type { ClusterId, Request } from "../ports/request.ts";
import type { Addition } from "../ports/workqueue.ts";

/** The names and times that are kept of a roll to follow it. */
export interface RolloutRun {
  readonly rolledAtMs: number;
  readonly sources: readonly CausingSource[];
  /** Its rollout ended badly, which was reported. The run is kept because the rollout may recover. Absent: the rollout goes on. */
  readonly badEnd?: BadEnd;
}

/** The bad end of a rollout: the object, and when the end was seen. */
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
  /**
   * Resolves, for each, to false when another run has begun since; then nothing is ended or kept. A lost run counts as ended, and nothing
   * is kept of it.
   */
  end(ended: readonly EndedRun[]): Promise<readonly boolean[]>;
  /**
   * Leaves each run to the process that watches its cluster, which looks at it no earlier than at its wall time. A repeat moves the time.
   * Resolves, for each, to false when the run has ended or another has begun since; then it is not left.
   */
  leave(left: readonly LeftRun[]): Promise<readonly boolean[]>;
  /** The runs of a cluster that were left to its watcher and are due by then, longest-waiting first; at most 500. */
  due(cluster: ClusterId, untilMs: number): Promise<readonly StartedRun[]>;
}

/** A run that begins. */
export interface StartedRun {
  readonly request: Request;
  readonly run: RolloutRun;
  /** From the beginning left to the process that watches the cluster, as by `leave`. Absent: it is not left. */
  readonly lookAtMs?: number;
}

/** A run to leave to the process that watches its cluster. */
export type LeftRun = Required<StartedRun>;

/** A run that ends. */
export interface EndedRun extends Pick<StartedRun, "request" | "run"> {
  /** The run that replaces it. Absent: none does. */
  readonly kept?: KeptRun;
}

/** A run that replaces an ended one, left to the process that watches the cluster, as by `leave`. */
export interface KeptRun {
  readonly run: RolloutRun;
  readonly lookAtMs: number;
}

/** Asks a worker to look at a rollout as soon as its turn comes. */
export function followAtOnce({ request }: Pick<StartedRun, "request">): Addition {
  return { request, quietPeriodMs: 0, maxWaitMs: 0, purpose: "follow" };
}
