import type { Clock } from "./clock.ts";

/** A reason of our own: without one each call makes an error with a stack. */
const ended = Symbol("the wait has ended");

/** Waits for the end of work that may take long, or for ever, at most this long. The work itself goes on. Rejects as it does. */
export async function atMost(
  ms: number,
  clock: Pick<Clock, "sleep">,
  work: Promise<unknown> | undefined,
): Promise<void> {
  const patience = new AbortController();
  const late = clock.sleep(ms, patience.signal).catch(() => undefined);
  await Promise.race([work, late]).finally(() => patience.abort(ended));
}
