import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";

export interface WhileReadableOptions {
  /** Reasons why Redis cannot be read, one a line. */
  readonly notReady: () => readonly string[];
  readonly clock: Clock;
}

/** How often Redis is checked: sooner than a page asks again. */
const lookMs = 1000;

/**
 * Waits for an answer only while Redis can be read. A command to a lost Redis waits until it is back, but people should get an error instead.
 * The work itself goes on. Faults with `redis.unavailable`.
 */
export async function whileReadable<T>(
  work: Promise<T>,
  options: WhileReadableOptions,
  signal: AbortSignal,
): Promise<T> {
  // The work may fail long after the caller has stopped waiting.
  work.catch(() => undefined);
  assertReadable(options.notReady);
  using over = linkedAbort(signal);
  try {
    return await Promise.race([work, untilUnreadable(options, over.signal)]);
  } finally {
    over.abort();
  }
}

/** Faults with `redis.unavailable` while Redis cannot be read. */
export function assertReadable(notReady: WhileReadableOptions["notReady"]): void {
  const lines = notReady();
  if (lines.length > 0) throw new Fault("redis.unavailable", lines.join("; "));
}

async function untilUnreadable(options: WhileReadableOptions, signal: AbortSignal): Promise<never> {
  for (;;) {
    await options.clock.sleep(lookMs, signal);
    assertReadable(options.notReady);
  }
}
