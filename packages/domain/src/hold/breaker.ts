/** Maximum of rolls in a period. */
export interface BreakerLimit {
  readonly rollsMax: number;
  readonly withinMs: number;
}

/**
 * The first hold lasts one minute, and each later one twice as long as the one before, up to five minutes. A person whose change
 * is held waits no longer than that, and a writer that loops for ever costs twelve ReplicaSets an hour.
 */
export const firstHoldMs = 60_000;
export const longestHoldMs = 300_000;
