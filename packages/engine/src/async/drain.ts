import { endedReason } from "./linked-abort.ts";

export interface DrainOptions {
  /** Whether anything waits to be flushed. */
  readonly hasMore: () => boolean;
  /** Waits before each flush, so that items that come meanwhile go with it. It ends early when the signal is aborted. Undefined: no wait. */
  readonly gather?: (hurry: AbortSignal) => Promise<void>;
  /** Takes the waiting items, or some of them, and sends them. A rejection is a bug: it ends the process, like every unhandled rejection. */
  readonly flush: (hurry: AbortSignal) => Promise<void>;
}

/** Gathers and flushes in the background, in one run at a time, until nothing waits. The owner keeps the waiting items. */
export class Drain {
  readonly #options: DrainOptions;
  readonly #hurry = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: DrainOptions) {
    this.#options = options;
  }

  /** Starts a run if something waits. Returns at once. */
  begin(): void {
    if (this.#running === undefined && this.#options.hasMore()) this.#running = this.#run();
  }

  /** Ends every gathering wait from now on. Resolves when nothing waits and nothing is being flushed. */
  async finish(): Promise<void> {
    this.#hurry.abort(endedReason);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { hasMore, gather, flush } = this.#options;
    const { signal } = this.#hurry;
    try {
      while (hasMore()) {
        if (gather !== undefined) await gather(signal);
        await flush(signal);
      }
    } finally {
      // Reset in the same turn as the check above, so the next item starts a new run.
      this.#running = undefined;
    }
  }
}
