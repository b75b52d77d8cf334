import { setFlagsFromString } from "node:v8";
import type { Clock } from "@fleet-reloader/engine/async/clock";

export interface YoungGenerationOptions {
  /** Whether the space for new objects may grow. Once grown, it stays until a full collection. */
  readonly allow: (mayGrow: boolean) => void;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

const countedMs = 250;
/** Requests between two checks that count as load: 100 a second. */
const loadedAt = 25;
/** This many loaded checks in a row are a load: the first list of a cluster is over by then, and its garbage is collected. */
const loadedLooks = 6;
/** After 5 s without a loaded check the load is over. */
const quietLooks = 20;

/**
 * Sizes the young generation of the heap by load. A fan-out turns everything it reads into garbage, and a small young generation copies the part
 * that is still in use: a large one saves a fifth of its CPU. A process that only watches is smaller with a small one (ADR 0006).
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

/** Sets the factor for this process. V8 reads it each time before it grows the young generation; a factor of one prevents growth. */
export function allowYoungGrowth(mayGrow: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
}
