import type { Clock, Random } from "@fleet-reloader/engine/async/clock";

/** The machine's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: sleepUnlessAborted,
};

export const systemRandom: Random = () => Math.random();

/** `setTimeout` of `node:timers/promises` creates an error with a stack for each cancelled sleep; this one has only the reason. */
function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
  });
}
