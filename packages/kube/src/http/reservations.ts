import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import { Semaphore } from "@fleet-reloader/engine/async/semaphore";
import { CallLimit } from "./call-limit.ts";
import type { Suspicion } from "./suspicion.ts";
import { type CallContext, transportFault } from "./to-fault.ts";
import type { Deadlines } from "./transport/call-times.ts";

export interface ReservationOptions {
  /** Undefined: any number of calls a second. */
  readonly limit: { readonly qps: number; readonly burst: number } | undefined;
  /** How many calls may be under way; undefined: any number. */
  readonly connections: number | undefined;
  /**
   * The deadlines of the answers. When a server hangs, calls that wait for a connection fail together with those that have one, instead of
   * waiting as long again.
   */
  readonly deadlines: Deadlines;
  readonly suspicion: Suspicion;
  /** Monotonic: when the server last answered. */
  readonly heardAt: () => number;
  readonly clock: Clock;
}

/**
 * Reserves connections for calls, in the order of requests. A call with a reservation does not wait for a connection in use: the brakes are asked
 * after the reservation, so their answer is still true when the call is sent.
 */
export class Reservations {
  readonly #options: ReservationOptions;
  readonly #limit: CallLimit | undefined;
  readonly #semaphore: Semaphore | undefined;

  constructor(options: ReservationOptions) {
    const { clock, connections, limit } = options;
    this.#options = options;
    this.#limit = limit === undefined ? undefined : new CallLimit({ ...limit, clock });
    this.#semaphore = connections === undefined ? undefined : new Semaphore({ atOnce: connections, clock });
  }

  /**
   * Waits for the limit, for the guard and for a free connection; resolves to a function that frees the connection. Every rejection is a fault,
   * and then nothing was sent.
   */
  async reserve(signal: AbortSignal, contextNow: () => CallContext): Promise<(() => void) | undefined> {
    await this.#limit?.turn(signal).catch((error: unknown) => {
      throw transportFault(error, contextNow(), signal);
    });
    // One check of the guard serves all calls, and no call holds a connection meanwhile.
    await this.#options.suspicion.settled(signal);
    const sinceMs = this.#options.clock.monotonic();
    try {
      return await this.#take(signal);
    } catch (error) {
      const context = contextNow();
      if (signal.aborted || this.#options.heardAt() <= sinceMs) throw transportFault(error, context, signal);
      // The server has answered other calls meanwhile: it is healthy, and we make too many calls.
      throw new Fault(
        "engine.overloaded",
        `no connection to ${context.server} was free in time: too many calls of ours`,
        { context: { ...context }, cause: error },
      );
    }
  }

  async #take(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#semaphore === undefined || this.#semaphore.isFree) return await this.#semaphore?.take(signal);
    using waiting = linkedAbort(signal);
    const inTime = this.#options.deadlines.add(waiting.abort);
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
