import type { Clock } from "@fleet-reloader/engine/async/clock";

/** A server's clock that goes back this much was set, or belongs to another server. */
const clockSetMs = 3000;

/** The clock of a server as its answers show it. */
export class ServerClock {
  readonly #clock: Pick<Clock, "monotonic">;
  /** How far the server's clock is ahead of our monotonic one: a lower bound. */
  #aheadMs: number | undefined;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** The time now, in whole seconds and never ahead of the server; undefined before the first answer. */
  get seconds(): number | undefined {
    if (this.#aheadMs === undefined) return undefined;
    return Math.floor((this.#aheadMs + this.#clock.monotonic()) / 1000);
  }

  /** An answer says whole seconds and arrives late, so it is never ahead; the one that is least behind counts. */
  read(atMs: number | undefined): void {
    if (atMs === undefined) return;
    const aheadMs = atMs - this.#clock.monotonic();
    const before = this.#aheadMs ?? aheadMs;
    this.#aheadMs = before - aheadMs > clockSetMs ? aheadMs : Math.max(before, aheadMs);
  }
}
