/** An answer of this age is good enough for somebody who reads. */
const everyMs = 10_000;
const longestMs = 120_000;

/**
 * How long to wait before the next question, after so many failures in a row. `chance` is from 0 to 1: tabs that fail together do not ask
 * together again.
 */
export function waitBefore(failures: number, chance: number): number {
  const ms = Math.min(longestMs, everyMs * 2 ** Math.min(failures, 10));
  return failures === 0 ? ms : ms * (0.5 + chance / 2);
}
