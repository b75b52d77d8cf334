import type { Clock } from "./clock.ts";

export interface SemaphoreOptions {
  /** How many have a turn at once. */
  readonly atOnce: number;
  /** After this long a turn is over for those who wait, whatever became of its work: nobody awaits a sick cluster. Undefined: its work ends by itself. */
  readonly longestMs?: number;
  readonly clock: Clock;
}

/** Lets only some do something costly at once, in the order in which they asked. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  /** Whether one has not to wait for a turn. */
  get isFree(): boolean {
    return this.#taken < this.#options.atOnce;
  }

  /** Resolves when it is one's turn, to what ends it; more than one end counts once. Rejects when the signal is aborted first. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.isFree) await this.#wait(signal);
    else this.#taken += 1;
    const { clock, longestMs } = this.#options;
    if (longestMs === undefined) return this.#endOnce();
    const over = new AbortController();
    const end = this.#endOnce(() => over.abort());
    clock.sleep(longestMs, over.signal).then(end, () => undefined);
    return end;
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

  /** The turn goes to who has waited longest. */
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
