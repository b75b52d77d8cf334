import type { Hold, Request, Result } from "./request.ts";

/** One request with the debounce window of its workload, in milliseconds. `quietPeriodMs: 0` means at once. */
export interface Addition {
  readonly request: Request;
  readonly quietPeriodMs: number;
  readonly maxWaitMs: number;
  readonly purpose: Purpose;
}

/**
 * Why a workload is reconciled.
 *
 * - `change`: one of its sources changed.
 * - `adoption`: the workload itself is new or different. It is reconciled now, only to record what its pods run with. A request that
 *   already waits keeps its time.
 * - `resume`: its pause ends at that time. It waits beside a change of the same workload; neither moves the other. A newer end of the
 *   pause moves it.
 * - `follow`: it was rolled, and its rollout is observed. It waits beside both in the same way, and gives way to others, unless they are
 *   very many.
 * - `audit`: nothing asked for it. It is a rare check with the lowest priority, which should find nothing. It waits beside all others.
 *
 * Only `change` rolls at once. A change that a request with another purpose finds waits for the quiet period like any other.
 */
export type Purpose = "change" | "adoption" | "resume" | "follow" | "audit";

/**
 * Producer side of the durable queue. A request that is added n times before it runs, runs once. One that is added while it runs, runs
 * again. `add` resolves only when the queue holds all of them.
 */
export interface Workqueue {
  add(additions: readonly Addition[]): Promise<void>;
  /** Whether a request for a change or an adoption of this workload waits, is held, or is being handled. */
  waits(request: Request): Promise<boolean>;
}

/** A request that waits in the queue. */
export interface WaitingRequest {
  /** Why it is on hold, and the wall time at which a worker asks again at the latest. Absent: it waits for its turn or for quiet. */
  readonly hold?: Hold & { readonly againAtMs: number };
}

/** What the queue knows of one request, for people. Reading it changes nothing. */
export interface QueueView {
  /** Undefined: no request for a change or an adoption of the workload waits. */
  waiting(request: Request): Promise<WaitingRequest | undefined>;
}

/** Handles one request. The class of the fault that it throws decides whether and when the request comes back. */
export type Handler = (request: Request, delivery: Delivery) => Promise<Result>;

export interface Delivery {
  /** Counted attempts before this one. */
  readonly attemptsMade: number;
  /**
   * An earlier run of this request may have left a write under way whose outcome is unknown: the run ended in a counted attempt, its
   * worker was lost, or it was aborted. It stays doubtful until the request is done. A request that was only held or delayed is not
   * doubtful: its write was certainly not made.
   */
  readonly isDoubtful: boolean;
  readonly purpose: Purpose;
  /**
   * Wall times of the queue's clock, in milliseconds. Undefined at a repeat: a request that was held, parked or retried did not only wait
   * for its turn.
   */
  readonly times?: DeliveryTimes | undefined;
  /** Aborted when the worker has to stop at once, or has lost the request to another worker. */
  readonly signal: AbortSignal;
}

/** Times of a request that is taken up for the first time: when the first change of its burst put it into the queue, and when it was taken up. */
export interface DeliveryTimes {
  readonly seenAtMs: number;
  readonly takenAtMs: number;
}
