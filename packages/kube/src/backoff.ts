import type { Random } from "@fleet-reloader/engine/async/clock";

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
