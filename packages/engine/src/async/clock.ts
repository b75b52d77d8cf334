/** Time as a port: the only way anything outside `runtime` learns or waits for time. */
export interface Clock {
  /** Wall time, milliseconds since the epoch: for display and for comparing with the API server's times. */
  now(): number;
  /** Monotonic milliseconds: for durations. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Uniform in [0, 1). */
export type Random = () => number;
