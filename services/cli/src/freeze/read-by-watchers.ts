import { describeScope, type Freeze, isInForce } from "@fleet-reloader/domain/hold/freeze";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { readSaidFreezes, readUnreadableFreezes } from "@fleet-reloader/redis/history/redis-recorded-freezes";

/** Watchers read the freezes every 5 s and say in Redis what they read: four rounds, for a busy fleet. */
export const readingMs = 20_000;
const readingLookMs = 250;

/** Whether a watcher has read a freeze. Or why watchers cannot read their documents. */
export type FreezeReading = "read" | "unread" | { readonly unreadable: string };

export interface FreezeReadingOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
}

/**
 * Waits until a watcher says that it has read a freeze that was just written, so that its document is one that is obeyed. What watchers said
 * before may be of another freeze, or they may be gone. A freeze that ends meanwhile counts as read.
 */
export async function readByWatchers(
  freeze: Freeze,
  { clock, client, keys }: FreezeReadingOptions,
): Promise<FreezeReading> {
  const { signal } = new AbortController();
  const writtenAtMs = clock.monotonic();
  while (isInForce(freeze, clock.now())) {
    const said = await readSaidFreezes({ client, keys });
    const sinceMs = clock.monotonic() - writtenAtMs;
    if (said.some((each) => each.silentMs <= sinceMs && isSameFreeze(each.freeze, freeze))) return "read";
    if (sinceMs >= readingMs) {
      const why = await readUnreadableFreezes({ client, keys });
      return why === undefined ? "unread" : { unreadable: why };
    }
    await clock.sleep(readingLookMs, signal);
  }
  return "read";
}

function isSameFreeze(one: Freeze, other: Freeze): boolean {
  return (
    one.reason === other.reason &&
    one.by === other.by &&
    one.untilMs === other.untilMs &&
    describeScope(one.scope) === describeScope(other.scope)
  );
}
