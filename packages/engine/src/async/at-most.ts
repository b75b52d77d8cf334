import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "./clock.ts";

/** An abort reason of our own: without one each call creates an error with a stack. */
const notWaitedFor = Symbol("the wait has ended");

/** Waits at most this long for work that may take very long or never end. The work itself goes on. Rejects as the work does. */
export async function atMost(
  ms: number,
  clock: Pick<Clock, "sleep">,
  work: Promise<unknown> | undefined,
): Promise<void> {
  const patience = new AbortController();
  const late = clock.sleep(ms, patience.signal).catch(() => undefined);
  await Promise.race([work, late]).finally(() => patience.abort(notWaitedFor));
}

/** Waits for an answer of Redis, which may be away for ever. Faults with `redis.unavailable` and this text when none comes in time. */
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
