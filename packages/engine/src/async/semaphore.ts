import type { Clock } from "./clock.ts";
import { endedReason } from "./linked-abort.ts";

export interface SemaphoreOptions {
  /** How many callers have a turn at the same time. */
  readonly atOnce: number;
  /** After this time the next caller gets the turn although the work goes on: a sick cluster must not delay others. Undefined: no limit. */
  readonly longestMs?: number;
  readonly clock: Clock;
}

/** Limits how many callers do something costly at the same time, in the order of their calls. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  /** Whether there is a turn without a wait. */
  get isFree(): boolean {
    return this.#taken < this.#options.atOnce;
  }

  /** Resolves at the caller's turn to a function that ends the turn; only its first call counts. Rejects when the signal is aborted first. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.isFree) await this.#wait(signal);
    else this.#taken += 1;
    const { clock, longestMs } = this.#options;
    if (longestMs === undefined) return this.#endOnce();
    const over = new AbortController();
    const end = this.#endOnce(() => over.abort(endedReason));
    clock.sleep(longestMs, over.signal).then(end, () => undefined);
    return end;
  }

  /**
   * Does the work in a turn. The turn ends with the work and not with the signal: work that goes on still uses its resources. Rejects as the work
   * does, and without the work when the signal is aborted before the turn.
   */
  async during<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const endTurn = await this.take(signal);
    try {
      return await work();
    } finally {
      endTurn();
    }
  }

  #endOnce(onEnd = (): void => undefined): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      onEnd();
      this.#next();
    };
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(resolve);
      reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener("abort", leave, { once: true });
    await promise;
    signal.removeEventListener("abort", leave);
  }

  /** The turn goes to the longest-waiting caller. */
  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(first);
    first();
  }
}
