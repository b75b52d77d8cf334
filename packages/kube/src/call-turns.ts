import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/clock";
import { linkedAbort } from "@fleet-reloader/engine/linked-abort";
import { Turns } from "@fleet-reloader/engine/turns";
import { Deadlines } from "./deadlines.ts";

export interface CallTurnsOptions {
  /** How many calls may be under way. */
  readonly connections: number;
  /** Whoever has no turn after this long is told so. */
  readonly waitMaxMs: number;
  readonly clock: Clock;
}

/**
 * A turn for each connection, in the order in which they are asked for. So whoever has one waits for no connection that is in use:
 * what is asked last before a call stays true until it is sent.
 */
export class CallTurns {
  readonly #turns: Turns;
  readonly #deadlines: Deadlines;
  readonly #why: string;

  constructor({ connections, waitMaxMs, clock }: CallTurnsOptions) {
    this.#turns = new Turns({ atOnce: connections, clock });
    this.#deadlines = new Deadlines(waitMaxMs, clock);
    this.#why = `no connection was free within ${waitMaxMs / 1000} s, all wait for answers`;
  }

  /** Resolves to what ends the turn. Rejects when the signal is aborted; or when there is none in time, and nothing was sent. */
  async take(signal: AbortSignal): Promise<() => void> {
    using waiting = linkedAbort(signal);
    const inTime = this.#deadlines.add(waiting.abort);
    try {
      return await this.#turns.take(waiting.signal);
    } catch (error) {
      throw signal.aborted ? error : new Fault("kube.unreachable", this.#why);
    } finally {
      inTime();
    }
  }

  close(): void {
    this.#deadlines.close();
  }
}
