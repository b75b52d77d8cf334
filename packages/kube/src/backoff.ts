import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import { type LinkedAbort, linkedAbort } from "@fleet-reloader/engine/async/linked-abort";

/** Exponential back-off with full jitter: a random wait between nothing and the current limit, which doubles. */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #random: Random;
  #limitMs: number;

  constructor(options: { readonly firstMs: number; readonly maxMs: number; readonly random: Random }) {
    this.#firstMs = options.firstMs;
    this.#maxMs = options.maxMs;
    this.#random = options.random;
    this.#limitMs = options.firstMs;
  }

  /** `atMostMs` lowers the limit for this wait only. */
  next(atMostMs = this.#maxMs): number {
    const wait = Math.min(this.#limitMs, atMostMs) * this.#random();
    this.#limitMs = Math.min(this.#limitMs * 2, this.#maxMs);
    return wait;
  }

  reset(): void {
    this.#limitMs = this.#firstMs;
  }
}

/** Several waits that all end early when the awaited thing is known to be possible again. */
export class BackOffs {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #waits = new Set<LinkedAbort>();

  constructor(clock: Pick<Clock, "sleep">) {
    this.#clock = clock;
  }

  /** Resolves after this long, or when the waits are ended, or when the signal is aborted. */
  async wait(ms: number, outer: AbortSignal): Promise<void> {
    using wait = linkedAbort(outer);
    this.#waits.add(wait);
    await this.#clock.sleep(ms, wait.signal).catch(() => undefined);
    this.#waits.delete(wait);
  }

  end(): void {
    for (const wait of this.#waits) wait.abort();
  }
}
