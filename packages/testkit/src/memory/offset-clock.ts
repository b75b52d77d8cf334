import type { Clock } from "@fleet-reloader/engine/async/clock";

/** The clock of one machine: its wall time differs from that of others, its durations do not. */
export class OffsetClock implements Clock {
  readonly #clock: Clock;
  offsetMs: number;

  constructor(clock: Clock, offsetMs: number) {
    this.#clock = clock;
    this.offsetMs = offsetMs;
  }

  now(): number {
    return this.#clock.now() + this.offsetMs;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }
}
