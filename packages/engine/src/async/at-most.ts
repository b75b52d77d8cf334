import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "./clock.ts";

/** A reason of our own: without one each call makes an error with a stack. */
const notWaitedFor = Symbol("the wait has ended");

/** Waits for the end of work that may take long, or for ever, at most this long. The work itself goes on. Rejects as it does. */
export async function atMost(
  ms: number,
  clock: Pick<Clock, "sleep">,
  work: Promise<unknown> | undefined,
): Promise<void> {
  const patience = new AbortController();
  const late = clock.sleep(ms, patience.signal).catch(() => undefined);
  await Promise.race([work, late]).finally(() => patience.abort(notWaitedFor));
}

/** The answer of a Redis that may be away for ever. Faults with `redis.unavailable` and this text when it does not come within this time. */
export async function answerWithin<T>(
  ms: number,
  clock: Pick<Clock, "sleep">,
  asked: Promise<T>,
  late: string,
): Promise<T> {
  const patience = new AbortController();
  const over = async (): Promise<never> => {
    await clock.sleep(ms, patience.signal);
    throw new Fault("redis.unavailable", late);
  };
  return await Promise.race([asked, over()]).finally(() => patience.abort(notWaitedFor));
}
