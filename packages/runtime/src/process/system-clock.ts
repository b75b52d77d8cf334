import { setTimeout as wait } from "node:timers/promises";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";

/** The machine's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }),
};

export const systemRandom: Random = () => Math.random();
