import { unlessAborted } from "./unless-aborted.ts";

/** Looks after a connection that is in use for long. */
export interface ConnectionGuard {
  /** Rejects unless the cluster behind the address is still the one that is meant. */
  verify(): Promise<void>;
  /** A request was not answered, or a stream was cut. */
  disturbed(): void;
}

/**
 * What answers after a disturbance may be another cluster than before. So nothing is asked before the guard has looked, and
 * one look serves all who wait for it: a server that is away gets one request, and not all of them.
 */
export class Suspicion {
  #guard: ConnectionGuard | undefined;
  #isRaised = false;
  #verifying: Promise<void> | undefined;

  set guard(guard: ConnectionGuard) {
    this.#guard = guard;
  }

  raise(): void {
    this.#isRaised = true;
  }

  disturbed(): void {
    this.raise();
    this.#guard?.disturbed();
  }

  /** Resolves when there is none, or none any more; rejects as the guard does, or when the signal is aborted. */
  async settled(signal: AbortSignal): Promise<void> {
    if (!this.#isRaised || this.#guard === undefined) return;
    this.#verifying ??= this.#guard
      .verify()
      .then(() => {
        this.#isRaised = false;
      })
      .finally(() => {
        this.#verifying = undefined;
      });
    await unlessAborted(this.#verifying, signal);
  }
}
