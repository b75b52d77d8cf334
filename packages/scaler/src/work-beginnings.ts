import type { Clock } from "@fleet-reloader/engine/async/clock";

export interface WorkBeginningsOptions {
  /** Rejects when the depth is not known. */
  readonly depth: () => Promise<number>;
  readonly clock: Clock;
}

/** The beginning of work is noticed within this time. It is short compared with the quiet period, in which a worker starts. */
const askDepthEveryMs = 500;

/**
 * Yields whenever work begins after there was none, and once if there is work at the start, until the signal is aborted. It yields only
 * beginnings, because each one restarts KEDA's cooldown. An unknown depth changes nothing.
 */
export async function* workBeginnings(
  { depth, clock }: WorkBeginningsOptions,
  signal: AbortSignal,
): AsyncGenerator<void> {
  let isWork = false;
  while (!signal.aborted) {
    const now = await depth().catch(() => undefined);
    // The client is gone, or the process stops.
    if (signal.aborted) return;
    if (now !== undefined) {
      if (now > 0 && !isWork) yield;
      isWork = now > 0;
    }
    await clock.sleep(askDepthEveryMs, signal).catch(() => undefined);
  }
}
