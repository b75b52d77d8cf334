/** Maximum of rolls in a period. */
export interface BreakerLimit {
  readonly rollsMax: number;
  readonly withinMs: number;
}

/**
 * The first hold lasts one minute. Each later one lasts twice as long as the one before, up to five minutes. So a person whose change is held
 * waits at most five minutes, and a writer that loops for ever causes at most twelve ReplicaSets an hour.
 */
export const firstHoldMs = 60_000;
export const longestHoldMs = 300_000;
