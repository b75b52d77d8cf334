import { asFault, Fault } from "@fleet-reloader/domain/fault";

/** Loops that have to run until the signal of their lifetime is aborted. */
export class Loops {
  readonly #signal: AbortSignal;
  readonly #running: Promise<void>[] = [];
  readonly #broken = Promise.withResolvers<never>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The name appears in the error when the loop ends too early. */
  add(name: string, loop: Promise<void>): void {
    this.#running.push(this.#watched(name, loop));
  }

  /** Adds a promise that breaks the service when it rejects. */
  watch(broken: Promise<never>): void {
    broken.catch((error: unknown) => this.#broken.reject(error));
  }

  /** Rejects with a fault `engine.invariant` as soon as a loop ends by itself. */
  get broken(): Promise<never> {
    return this.#broken.promise;
  }

  /** Resolves when all have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #watched(name: string, loop: Promise<void>): Promise<void> {
    try {
      await loop;
      if (!this.#signal.aborted) this.#break(name, undefined);
    } catch (cause) {
      this.#break(name, cause);
    }
  }

  #break(name: string, cause: unknown): void {
    const why = cause === undefined ? "" : `: ${asFault(cause).message}`;
    this.#broken.reject(new Fault("engine.invariant", `${name} ended by itself${why}`, { cause }));
  }
}
