import type { Clock } from "@fleet-reloader/engine/async/clock";

interface Deadline {
  readonly dueMs: number;
  readonly expire: () => void;
}

/** How late a deadline may be noticed. Deadlines are seconds long, so this adds little. */
const sweepMs = 250;

/** Ends what takes too long. One timer serves all deadlines: a timer for each call would cost more than its answer. */
export class Deadlines {
  readonly #afterMs: number;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  /** All have the same length, so they are in the order of their ends. */
  readonly #waiting = new Set<Deadline>();
  #isSweeping = false;

  constructor(afterMs: number, clock: Clock) {
    this.#afterMs = afterMs;
    this.#clock = clock;
  }

  /** Calls `expire` when the time is over. The returned function cancels that. */
  add(expire: () => void): () => void {
    const waiting = { dueMs: this.#clock.monotonic() + this.#afterMs, expire };
    this.#waiting.add(waiting);
    if (!this.#isSweeping) void this.#sweep();
    return () => this.#waiting.delete(waiting);
  }

  close(): void {
    this.#closed.abort();
  }

  async #sweep(): Promise<void> {
    this.#isSweeping = true;
    while (this.#waiting.size > 0 && !this.#closed.signal.aborted) {
      await this.#clock.sleep(sweepMs, this.#closed.signal).catch(() => undefined);
      for (const waiting of this.#waiting) {
        if (waiting.dueMs > this.#clock.monotonic()) break;
        this.#waiting.delete(waiting);
        waiting.expire();
      }
    }
    this.#isSweeping = false;
  }
}
