/** Limits of rolls at one level: per period, and unfinished at once. */
export interface BudgetLimit {
  readonly rate?: BudgetRate;
  /** Maximum of rollouts that have begun and not ended. */
  readonly unfinishedMax?: number;
}

export interface BudgetRate {
  readonly rolls: number;
  readonly perMs: number;
  /** Maximum of rolls at once after a period without any. */
  readonly burst: number;
}

/** A rollout whose end is never reported is forgotten after this time. It exceeds a Deployment's own deadline of 10 minutes. */
export const leaseMs = 15 * 60_000;
/** A waiting roll keeps its reserved room until this long after its time to ask again: an idle queue delivers it by then. */
export const graceMs = 250;
/** A busy queue delivers later. A roll that asks within this time keeps its place. After it the roll queues again at the end. */
export const latenessMs = 60_000;
/** Nothing announces the end of a rollout. The next rolls in line ask once a second, those behind them less often. */
export const finishPollMs = 1000;
/** Maximum wait before a roll asks again: limits may have changed. */
export const askAgainMaxMs = 60_000;
