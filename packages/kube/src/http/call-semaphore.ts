import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import { Semaphore } from "@fleet-reloader/engine/async/semaphore";
import type { Deadlines } from "./deadlines.ts";

export interface CallSemaphoreOptions {
  /** How many calls may be under way. */
  readonly connections: number;
  /**
   * Of the answers, for the wait as well: when a server hangs, whoever waits for a turn is told together with those who have one, and
   * does not follow them.
   */
  readonly deadlines: Deadlines;
  readonly clock: Clock;
}

/**
 * A turn for each connection, in the order in which they are asked for. So whoever has one waits for no connection that is in use:
 * what is asked last before a call stays true until it is sent.
 */
export class CallSemaphore {
  readonly #semaphore: Semaphore;
  readonly #deadlines: Deadlines;

  constructor({ connections, deadlines, clock }: CallSemaphoreOptions) {
    this.#semaphore = new Semaphore({ atOnce: connections, clock });
    this.#deadlines = deadlines;
  }

  /** Resolves to what ends the turn. Rejects when the signal is aborted; or when there is none in time, and nothing was sent. */
  async take(signal: AbortSignal): Promise<() => void> {
    if (this.#semaphore.isFree) return await this.#semaphore.take(signal);
    using waiting = linkedAbort(signal);
    const inTime = this.#deadlines.add(waiting.abort);
    try {
      return await this.#semaphore.take(waiting.signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Fault("kube.unreachable", "no connection was free in time: all wait for answers");
    } finally {
      inTime();
    }
  }
}
