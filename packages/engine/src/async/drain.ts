export interface DrainOptions {
  /** Whether anything waits to be flushed. */
  readonly hasMore: () => boolean;
  /** Waits before each flush, so that what comes meanwhile goes with it. It ends early when the signal is aborted. Undefined: no wait. */
  readonly gather?: (hurry: AbortSignal) => Promise<void>;
  /** Takes what waits, or a part of it, and sends it. A rejection is a bug: it ends the process, like every rejection that nobody awaits. */
  readonly flush: (hurry: AbortSignal) => Promise<void>;
}

/** Gathers and flushes in the background, in one run at a time, until nothing waits. What waits is kept by its owner. */
export class Drain {
  readonly #options: DrainOptions;
  readonly #hurry = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: DrainOptions) {
    this.#options = options;
  }

  /** Something waits. Returns at once. */
  begin(): void {
    if (this.#running === undefined && this.#options.hasMore()) this.#running = this.#run();
  }

  /** Ends every wait for more, from now on. Resolves when nothing waits and nothing is being flushed. */
  async finish(): Promise<void> {
    this.#hurry.abort();
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
      // In the same turn as the check above: what comes from now on begins a new run.
      this.#running = undefined;
    }
  }
}
