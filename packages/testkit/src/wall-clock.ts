import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@fleet-reloader/engine/async/clock";

/** The machine's time, for tests of adapters that really wait. */
export const wallClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }),
};
