import { setTimeout as delay } from "node:timers/promises";

/** Short beside the seconds a component needs to start, long enough not to take its CPU. */
const POLL_EVERY_MS = 50;

/**
 * Calls `probe` until it answers something other than undefined, and returns that. Throws at the
 * deadline, naming `what` it waited for and the last error the probe met; what `giveUp` throws ends
 * the wait at once.
 */
export async function pollUntil<T>(wait: {
  readonly what: string;
  readonly timeoutMs: number;
  readonly probe: () => Promise<T | undefined>;
  readonly giveUp: () => void;
}): Promise<T> {
  const deadline = performance.now() + wait.timeoutMs;
  let lastError: unknown;
  while (performance.now() < deadline) {
    wait.giveUp();
    try {
      const answer = await wait.probe();
      if (answer !== undefined) return answer;
    } catch (error) {
      lastError = error;
    }
    await delay(POLL_EVERY_MS);
  }
  throw new Error(`${wait.what}: not within ${wait.timeoutMs / 1000} s`, { cause: lastError });
}
