import type { Clock } from "./clock.ts";
import { Semaphore } from "./semaphore.ts";

/** A person does not notice this delay, and neither does another request. */
const paceSliceMs = 5;
/** For rests, which end by themselves. */
const neverAborted = new AbortController().signal;

/**
 * Lets long tasks share their thread. Each task asks between two steps whether to rest, and gets a slice of time in turn. Everything else
 * runs between two slices, so a probe is answered within a slice, however long the tasks are.
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
