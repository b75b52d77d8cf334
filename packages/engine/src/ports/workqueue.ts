import type { Hold, Request, Result } from "./request.ts";

/** One request with the debounce window of its workload, in milliseconds. `quietPeriodMs: 0` means at once. */
export interface Addition {
  readonly request: Request;
  readonly quietPeriodMs: number;
  readonly maxWaitMs: number;
  readonly purpose: Purpose;
}

/**
 * Why a workload is looked at.
 *
 * - `change`: a source of it changed.
 * - `adoption`: the workload itself is new or different: it is looked at now, only to note what it carries. A run that is
 *   already waiting stays where it is.
 * - `resume`: its pause ends then. It waits beside a change of the same workload, and is neither moved by one nor moves it. A newer end of
 *   the pause moves it.
 * - `follow`: it was rolled, and its rollout is looked at. It waits beside both, in the same way, and gives way to others,
 *   unless they are very many.
 *
 * - `audit`: nothing asks for it; it is looked at now and again, after everybody else, to find what should not be there to find. It waits
 *   beside all others.
 *
 * Only `change` rolls at once; a change that another finds waits for the quiet period like any other.
 */
export type Purpose = "change" | "adoption" | "resume" | "follow" | "audit";

/**
 * Producer side of the durable queue. A request added n times before it runs, runs once; added while it runs, it runs
 * again. `add` resolves only when the queue holds all of them.
 */
export interface Workqueue {
  add(additions: readonly Addition[]): Promise<void>;
  /** Whether a change or an adoption of this workload waits, is held, or is handled now. */
  waits(request: Request): Promise<boolean>;
}

/** A request that waits in the queue. */
export interface WaitingRequest {
  /** Why it is on hold, and when a worker asks again at the latest (wall time). Absent: it waits for its turn or for quiet. */
  readonly hold?: Hold & { readonly againAtMs: number };
}

/** What the queue knows of one request, for people. Reading it changes nothing. */
export interface QueueView {
  /** Undefined: no change and no adoption of the workload waits. */
  waiting(request: Request): Promise<WaitingRequest | undefined>;
}

/** Handles one request. What it throws decides, by its fault class, whether and when the request comes back. */
export type Handler = (request: Request, delivery: Delivery) => Promise<Result>;

export interface Delivery {
  /** Counted attempts before this one. */
  readonly attemptsMade: number;
  /**
   * An earlier run of this request may have left a write under way, and nobody knows what became of it: the run ended in a counted attempt,
   * its worker was lost, or it was aborted. It stays so until the request is done. A request that was only held or delayed is not
   * doubtful: its write was certainly not made.
   */
  readonly isDoubtful: boolean;
  readonly purpose: Purpose;
  /**
   * Wall times of the queue's clock, in milliseconds. Undefined at a repeat: what was held, parked or retried waited for other reasons
   * than its turn.
   */
  readonly times?: DeliveryTimes | undefined;
  /** Aborted when the worker stops in a hurry or has lost the request to another worker. */
  readonly signal: AbortSignal;
}

/** When a request that is taken up for the first time was put into the queue, by the first change of its burst, and when it was taken up. */
export interface DeliveryTimes {
  readonly seenAtMs: number;
  readonly takenAtMs: number;
}
