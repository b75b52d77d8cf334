import { setFlagsFromString } from "node:v8";
import type { Clock } from "@fleet-reloader/engine/async/clock";

export interface YoungGenerationOptions {
  /** Whether the part of the heap that new objects lie in may grow. What it has grown by stays until all is collected. */
  readonly allow: (mayGrow: boolean) => void;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

const countedMs = 250;
/** A process that takes this many requests between two looks is loaded: 100 a second. */
const loadedAt = 25;
/** So many looks in a row make a load: the first list of a cluster is over by then, and its garbage collected. */
const loadedLooks = 6;
/** After 5 s without a loaded look the load is over. */
const quietLooks = 20;

/**
 * The young generation of the heap by load. A fan-out makes garbage of all that it reads, and a small young generation keeps what is
 * still in use of it by copying: a large one takes a fifth of its CPU away. A process that merely watches is smaller with a small one (ADR 0006).
 */
export class YoungGeneration {
  #taken = 0;

  /** A request was taken up. */
  requestTaken(): void {
    this.#taken += 1;
  }

  /** Resolves when the signal is aborted. */
  async growUnderLoad({ allow, clock, signal }: YoungGenerationOptions): Promise<void> {
    let loaded = 0;
    let quiet = 0;
    let mayGrow = false;
    while (!signal.aborted) {
      this.#taken = 0;
      await clock.sleep(countedMs, signal).catch(() => undefined);
      const isLoaded = this.#taken >= loadedAt;
      loaded = isLoaded ? loaded + 1 : 0;
      quiet = isLoaded ? 0 : quiet + 1;
      const isAllowed: boolean = mayGrow ? quiet < quietLooks : loaded >= loadedLooks;
      if (isAllowed !== mayGrow) allow(isAllowed);
      mayGrow = isAllowed;
    }
  }
}

/** Of this process. V8 asks for the factor each time it would grow it; a factor of one keeps it as it is. */
export function allowYoungGrowth(mayGrow: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
}
