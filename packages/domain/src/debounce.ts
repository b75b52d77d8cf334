/** How long a workload waits for further changes of any of its sources (decision 10). Milliseconds. */
export interface Debounce {
  /** Quiet period: the workload is rolled when nothing has changed for this long; 0 means immediately. */
  readonly quietPeriodMs: number;
  /** Maximum wait: the workload is rolled at the latest this long after the first change of a burst. */
  readonly maxWaitMs: number;
}

/** A burst of changes that the workload has not been rolled for yet. Times in milliseconds of one clock. */
export interface Burst {
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The burst after one more change. A change that is reported late, or by a clock that went back, does not shorten the burst. */
export function noteChange(burst: Burst, now: number): Burst {
  return { firstAt: burst.firstAt, lastAt: Math.max(burst.lastAt, now) };
}

/** When a burst is due: a quiet period after its last change, but within the maximum wait after its first. */
export function dueAt(burst: Burst, { quietPeriodMs, maxWaitMs }: Debounce): number {
  return Math.min(burst.lastAt + quietPeriodMs, burst.firstAt + maxWaitMs);
}

/**
 * How long to wait after a change seen now, in a burst that began at `firstAt`. Never below 0 and never above the quiet period, even if another
 * process wrote `firstAt` with a wrong clock.
 */
export function delayFor(firstAt: number, now: number, debounce: Debounce): number {
  const burst = noteChange({ firstAt, lastAt: firstAt }, now);
  return Math.max(0, Math.min(debounce.quietPeriodMs, dueAt(burst, debounce) - now));
}
