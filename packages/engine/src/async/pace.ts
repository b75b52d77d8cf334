import type { Clock } from "./clock.ts";
import { Semaphore } from "./semaphore.ts";

/** What a person does not notice, and a request that goes by does neither. */
const paceSliceMs = 5;
/** A rest ends by itself. */
const neverAborted = new AbortController().signal;

/**
 * Lets long work share its thread: whoever has much to do asks between two steps, and all who do get one slice of time after the
 * other, with a turn of everything else in between. A probe is answered within a slice, however much there is to do.
 */
export class Pace {
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  readonly #semaphore: Semaphore;
  #sinceMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#semaphore = new Semaphore({ atOnce: 1, clock });
    this.#sinceMs = clock.monotonic();
  }

  /** Whether it is time to rest. */
  get isOver(): boolean {
    return this.#clock.monotonic() - this.#sinceMs >= paceSliceMs;
  }

  /** Resolves at the next slice. */
  async rest(): Promise<void> {
    const endTurn = await this.#semaphore.take(neverAborted);
    await this.#clock.sleep(0, neverAborted);
    this.#sinceMs = this.#clock.monotonic();
    endTurn();
  }
}
