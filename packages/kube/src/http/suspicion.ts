import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";

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
  /** How often it was raised, and how often it had been when the last look began that found nothing. */
  #raised = 0;
  #settled = 0;
  #verifying: Promise<void> | undefined;

  set guard(guard: ConnectionGuard) {
    this.#guard = guard;
  }

  raise(): void {
    this.#raised += 1;
  }

  disturbed(): void {
    this.raise();
    this.#guard?.disturbed();
  }

  /** Resolves when there is none, or none any more; rejects as the guard does, or when the signal is aborted. */
  async settled(signal: AbortSignal): Promise<void> {
    while (this.#settled !== this.#raised && this.#guard !== undefined) {
      this.#verifying ??= this.#verify(this.#guard);
      await unlessAborted(this.#verifying, signal, "the API server");
    }
  }

  /** What is raised while the guard looks is not answered by what it finds. */
  async #verify(guard: ConnectionGuard): Promise<void> {
    const raised = this.#raised;
    try {
      await guard.verify();
      this.#settled = raised;
    } finally {
      this.#verifying = undefined;
    }
  }
}
