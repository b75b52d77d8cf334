import { asFault, type Fault } from "@fleet-reloader/domain/fault";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";

/** Checks the cluster behind a long-lived connection. */
export interface ConnectionGuard {
  /** Rejects unless the intended cluster is still behind the address. */
  verify(): Promise<void>;
  /** A request was not answered, or a stream was cut. */
  disturbed(): void;
}

/**
 * After a disturbance another cluster may answer at the same address. So no call is sent before the guard has verified the cluster. One
 * verification serves all waiting calls: a server that is away gets one request instead of all of them.
 */
export class Suspicion {
  #guard: ConnectionGuard | undefined;
  /** How often suspicion was raised in total, and up to the start of the last successful verification. */
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

  /**
   * Returns the result of the call. When the server fails or refuses our credentials, a probe finds out whether all calls are affected; no call
   * waits for it.
   */
  async watched<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (isOfServer(asFault(error))) this.#guard?.disturbed();
      throw error;
    }
  }

  /** Resolves when there is no suspicion any more; rejects as the guard does, or when the signal is aborted. */
  async settled(signal: AbortSignal): Promise<void> {
    while (this.#settled !== this.#raised && this.#guard !== undefined) {
      this.#verifying ??= this.#verify(this.#guard);
      await unlessAborted(this.#verifying, signal, "the API server");
    }
  }

  /** A suspicion that is raised during a verification needs another one. */
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

function isOfServer({ code }: Fault): boolean {
  return code === "kube.server-error" || code === "kube.unauthorized";
}
