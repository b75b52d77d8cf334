import type { Clock } from "@fleet-reloader/engine/async/clock";

export interface CallLimitOptions {
  /** Calls a second in the long run. */
  readonly qps: number;
  /** Calls at once after a pause. */
  readonly burst: number;
  readonly clock: Clock;
}

/** A token bucket: `qps` calls a second, and after a pause `burst` calls at once. A call beyond that waits. */
export class CallLimit {
  readonly #options: CallLimitOptions;
  /** Monotonic: when the bucket is full again. */
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: CallLimitOptions) {
    this.#options = options;
  }

  /** Resolves when the call may be made; rejects when the signal is aborted before. */
  async turn(signal: AbortSignal): Promise<void> {
    const { burst, clock, qps } = this.#options;
    const eachMs = 1000 / qps;
    const now = clock.monotonic();
    this.#fullAtMs = Math.max(this.#fullAtMs, now) + eachMs;
    const waitMs = this.#fullAtMs - now - burst * eachMs;
    if (waitMs <= 0) return;
    try {
      await clock.sleep(waitMs, signal);
    } catch (error) {
      // The place goes to calls that come later. The calls that wait already keep their times.
      this.#fullAtMs -= eachMs;
      throw error;
    }
  }
}
