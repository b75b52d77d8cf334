/** How many rolls are normal. */
export interface BreakerLimit {
  readonly rollsMax: number;
  readonly withinMs: number;
}

/**
 * A hold lasts at least one minute, and each one after it twice as long. None is longer than five minutes: a person whose change is
 * held waits no longer for it, and a writer that loops for ever costs twelve ReplicaSets an hour.
 */
export const firstHoldMs = 60_000;
export const longestHoldMs = 300_000;
