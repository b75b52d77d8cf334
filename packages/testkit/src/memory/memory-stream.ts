import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { StateListener, StreamEvent, StreamHandler } from "@fleet-reloader/engine/ports/source-stream";

export interface MemoryStreamOptions<T> {
  readonly list: () => readonly T[];
  /** Events after this version, oldest first. */
  readonly since: (version: number) => readonly StreamEvent<T>[];
  /** The server's version now. */
  readonly version: () => number;
  readonly handler: StreamHandler<T>;
  readonly clock: Clock;
}

/** What a test may do to a stream. */
export interface StreamControl {
  /** Something was written. */
  wake(): void;
  /** What was not delivered yet never is: it lists again. */
  cut(): void;
  /** Events wait until `resume`. */
  hold(): void;
  resume(): void;
  /** The last events come once more. */
  replay(count: number): void;
}

const pageSize = 2;
const retryAfterMs = 100;

/** A list + watch with the promises of a reflector: strictly in order, nothing left out, a failed handler is asked again. */
export class MemoryStream<T> implements StreamControl {
  readonly #options: MemoryStreamOptions<T>;
  #isCut = false;
  #isHeld = false;
  #replayed: readonly StreamEvent<T>[] = [];
  #delivered: StreamEvent<T>[] = [];
  #wake = Promise.withResolvers<void>();

  constructor(options: MemoryStreamOptions<T>) {
    this.#options = options;
  }

  async run(signal: AbortSignal, onState: StateListener): Promise<void> {
    const { clock } = this.#options;
    signal.addEventListener("abort", () => this.wake(), { once: true });
    while (!signal.aborted) {
      try {
        onState("listing", "start");
        const at = await this.#list(signal);
        onState("watching", "in sync");
        await this.#watch(at, signal);
      } catch (error) {
        if (signal.aborted) break;
        onState("backoff", error instanceof Error ? error.message : "failed");
        await clock.sleep(retryAfterMs, signal).catch(() => undefined);
      }
    }
    onState("stopped", "stopped");
  }

  wake(): void {
    this.#wake.resolve();
  }

  cut(): void {
    this.#isCut = true;
    this.wake();
  }

  hold(): void {
    this.#isHeld = true;
  }

  resume(): void {
    this.#isHeld = false;
    this.wake();
  }

  replay(count: number): void {
    this.#replayed = this.#delivered.slice(-count);
    this.wake();
  }

  /** Answers the version that was listed. */
  async #list(signal: AbortSignal): Promise<number> {
    const { handler, list, version } = this.#options;
    handler.listBegins();
    this.#isCut = false;
    // A watch begins at the version of its list: nothing from before comes again.
    this.#delivered = [];
    this.#replayed = [];
    const at = version();
    const objects = list();
    for (let from = 0; from < objects.length; from += pageSize) {
      signal.throwIfAborted();
      await handler.page(objects.slice(from, from + pageSize));
    }
    signal.throwIfAborted();
    await handler.listed();
    return at;
  }

  /** Ends when it is cut. */
  async #watch(from: number, signal: AbortSignal): Promise<void> {
    const { handler, since, version } = this.#options;
    for (let at = from; !signal.aborted && !this.#isCut; ) {
      this.#wake = Promise.withResolvers();
      const until = version();
      const isHeld = this.#isHeld;
      const fresh = isHeld ? [] : since(at);
      if (!isHeld) at = until;
      const events = [...this.#replayed, ...fresh];
      if (events.length > 0) {
        await handler.events(events);
        this.#replayed = [];
        this.#delivered.push(...fresh);
      } else {
        await this.#wake.promise;
      }
    }
  }
}
