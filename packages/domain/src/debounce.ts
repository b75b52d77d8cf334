/** How long a workload waits for further changes, across all its sources (decision 10). Milliseconds. */
export interface Debounce {
  /** Quiet period: how long nothing has to change before the workload is rolled; 0 means immediately. */
  readonly quietPeriodMs: number;
  /** Maximum wait: how long after the first change of a burst the workload is rolled at the latest. */
  readonly maxWaitMs: number;
}

/** A burst of changes that nothing was done about yet. Times in milliseconds of one clock. */
export interface Burst {
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The burst after one more change. A change that is reported late, or by a clock that went back, takes nothing back. */
export function noteChange(burst: Burst, now: number): Burst {
  return { firstAt: burst.firstAt, lastAt: Math.max(burst.lastAt, now) };
}

/** When a burst has to be acted on: a quiet period after its last change, but within the maximum wait of its first. */
export function dueAt(burst: Burst, { quietPeriodMs, maxWaitMs }: Debounce): number {
  return Math.min(burst.lastAt + quietPeriodMs, burst.firstAt + maxWaitMs);
}

/**
 * How long to wait after a change seen now, in a burst that began at `firstAt`: never below 0 and never above the quiet
 * period, whatever another process' clock made of `firstAt`.
 */
export function delayFor(firstAt: number, now: number, debounce: Debounce): number {
  const burst = noteChange({ firstAt, lastAt: firstAt }, now);
  return Math.max(0, Math.min(debounce.quietPeriodMs, dueAt(burst, debounce) - now));
}
