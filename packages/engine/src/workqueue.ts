import type { Request, Result } from "./request.ts";

/** One request with the debounce window of its workload, in milliseconds. `quietPeriodMs: 0` means at once. */
export interface Addition {
  readonly request: Request;
  readonly quietPeriodMs: number;
  readonly maxWaitMs: number;
  /**
   * The workload itself is new or different: it is looked at now, only to note what it carries. A run that is already
   * waiting stays where it is, and a change that is found waits for the quiet period like any other.
   */
  readonly isAdoption: boolean;
}

/**
 * Producer side of the durable queue. A request added n times before it runs, runs once; added while it runs, it runs
 * again. `add` resolves only when the queue holds all of them.
 */
export interface Workqueue {
  add(additions: readonly Addition[]): Promise<void>;
}

/** Handles one request. What it throws decides, by its fault class, whether and when the request comes back. */
export type Handler = (request: Request, delivery: Delivery) => Promise<Result>;

export interface Delivery {
  /** Counted attempts before this one. */
  readonly attemptsMade: number;
  readonly isAdoption: boolean;
  /** Aborted when the worker stops in a hurry or has lost the request to another worker. */
  readonly signal: AbortSignal;
}
