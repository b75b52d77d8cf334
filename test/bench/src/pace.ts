import type { BenchContext } from "./benchmark.ts";

/** How long things wait in a run. */
export interface Pace {
  /** Our product's debounce, as its arguments; none: the default. */
  readonly debounceArgs: readonly string[];
  readonly quietPeriodMs: number;
  /** After the last roll: the quiet period twice, and a little. A late or a second roll would be there by then. */
  readonly settleMs: number;
  /** The same where there is no debounce: a second roll for one change would come at once. */
  readonly settleAtOnceMs: number;
}

/** A quick run changes the debounce, since waiting for it would be most of its time. */
export function paceOf({ isQuick }: BenchContext): Pace {
  return isQuick
    ? { debounceArgs: ["--debounce=200ms"], quietPeriodMs: 200, settleMs: 500, settleAtOnceMs: 200 }
    : { debounceArgs: [], quietPeriodMs: 2000, settleMs: 4500, settleAtOnceMs: 2000 };
}
