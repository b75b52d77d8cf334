import type { Clock } from "@fleet-reloader/engine/async/clock";

export interface WorkBeginningsOptions {
  /** Rejects when it is not known. */
  readonly depth: () => Promise<number>;
  readonly clock: Clock;
}

/** The longest time that a beginning goes unseen. It is short against the quiet period, in which a worker starts. */
const askDepthEveryMs = 500;

/**
 * Yields when there is work for the first time, and whenever work begins after there was none, until the signal is aborted. Only a
 * beginning: each one restarts KEDA's cooldown. A depth that is not known changes nothing.
 */
export async function* workBeginnings(
  { depth, clock }: WorkBeginningsOptions,
  signal: AbortSignal,
): AsyncGenerator<void> {
  let isWork = false;
  while (!signal.aborted) {
    const now = await depth().catch(() => undefined);
    // The reader is gone, or the process stops.
    if (signal.aborted) return;
    if (now !== undefined) {
      if (now > 0 && !isWork) yield;
      isWork = now > 0;
    }
    await clock.sleep(askDepthEveryMs, signal).catch(() => undefined);
  }
}
