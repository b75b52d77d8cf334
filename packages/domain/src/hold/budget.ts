/** What may be rolled at one level: how many in a time, how many at once. */
export interface BudgetLimit {
  readonly rate?: BudgetRate;
  /** Rollouts that have begun and not ended. */
  readonly unfinishedMax?: number;
}

export interface BudgetRate {
  readonly rolls: number;
  readonly perMs: number;
  /** So many at once after a time without any. */
  readonly burst: number;
}

/** A rollout whose end nobody tells is forgotten after this long: longer than a Deployment's own deadline of 10 minutes. */
export const leaseMs = 15 * 60_000;
/** What is kept for somebody is kept for so long after he was told to come: as late as a queue with nothing else to do brings him. */
export const graceMs = 250;
/** A queue that is busy brings him later. So late, and he starts at the end of the line. */
export const latenessMs = 60_000;
/** The end of a rollout is not announced: those next in line look once a second, those behind them less often. */
export const finishPollMs = 1000;
/** Nobody waits longer without asking again: limits may be set anew. */
export const askAgainMaxMs = 60_000;
