import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";

export interface WhileReadableOptions {
  /** What keeps Redis from being read, a line each. */
  readonly notReady: () => readonly string[];
  readonly clock: Clock;
}

/** Sooner than a page asks again. */
const lookMs = 1000;

/**
 * Waits for an answer as long as Redis can be read. A command waits for a Redis that went away until it is back; people should be told
 * instead. The work itself goes on. Faults with `redis.unavailable`.
 */
export async function whileReadable<T>(
  work: Promise<T>,
  options: WhileReadableOptions,
  signal: AbortSignal,
): Promise<T> {
  // It may fail long after nobody waits for it.
  work.catch(() => undefined);
  assertReadable(options);
  using over = linkedAbort(signal);
  try {
    return await Promise.race([work, untilUnreadable(options, over.signal)]);
  } finally {
    over.abort();
  }
}

/** Faults with `redis.unavailable` while Redis cannot be read. */
export function assertReadable({ notReady }: Pick<WhileReadableOptions, "notReady">): void {
  const lines = notReady();
  if (lines.length > 0) throw new Fault("redis.unavailable", lines.join("; "));
}

async function untilUnreadable(options: WhileReadableOptions, signal: AbortSignal): Promise<never> {
  for (;;) {
    await options.clock.sleep(lookMs, signal);
    assertReadable(options);
  }
}
