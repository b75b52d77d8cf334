import { setTimeout as wait } from "node:timers/promises";

/** How long a wait takes that is no statement about time: on a busy machine everything takes many times as long as it should. */
export const patienceMs = 300_000;

/** What is waited for will never come, whatever time is left. */
export class Hopeless extends Error {}

const oftenMs = 20;
const seldomMs = 50;

/**
 * Polls until the condition gives something true; rejects with what was awaited when it does not come in time, and at once with what is
 * `Hopeless`. Polls take CPU from what is awaited. So the longer it takes, the less often they come.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = patienceMs,
): Promise<NonNullable<T>> {
  const from = performance.now();
  const deadline = from + timeoutMs;
  let last: unknown;
  while (performance.now() < deadline) {
    try {
      const value = await condition();
      if (value) return value;
      last = undefined;
    } catch (error) {
      if (error instanceof Hopeless) throw error;
      last = error;
    }
    const everyMs = (performance.now() - from) / 20;
    await wait(Math.min(Math.max(everyMs, oftenMs), seldomMs));
  }
  throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: last });
}

/**
 * Holds for the whole time, and be it none: for "nothing happens", which no event can tell. The time is the guarantee's own (a multiple of
 * the quiet period), not a guess at how long something takes.
 */
export async function holds(
  what: string,
  forMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + forMs;
  do {
    if (!(await condition())) throw new Error(`did not hold: ${what}`);
    await wait(50);
  } while (performance.now() < deadline);
}

/** For a time that is part of the case, such as the moment of a fault: this is not a wait for something to happen. */
export async function passed(ms: number): Promise<void> {
  const from = performance.now();
  await until(`${ms} ms have passed`, () => performance.now() - from >= ms, ms + patienceMs);
}
