import { followFreezes } from "@fleet-reloader/engine/admission/freeze-news";
import type { Freezes } from "@fleet-reloader/engine/admission/freezes";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { History } from "@fleet-reloader/engine/history/history";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisHistory } from "@fleet-reloader/redis/history/redis-history";
import { RedisRecordedFreezes } from "@fleet-reloader/redis/history/redis-recorded-freezes";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";

export interface StartedHistory {
  /** Undefined: nothing is kept. */
  readonly history: History | undefined;
  stop(): Promise<void>;
}

/** Freezes that come and go are told by whoever is always on, if a history is kept. Resolves when the signal is aborted. */
export async function tellFreezes(
  options: {
    readonly freezes: Freezes;
    readonly history: History | undefined;
    readonly client: RedisClient;
    readonly keys: Keys;
    /** Which process this is: no other has this name. */
    readonly member: string;
    readonly clock: Clock;
    readonly log: Log;
  },
  signal: AbortSignal,
): Promise<void> {
  const { history } = options;
  if (history === undefined) return await untilAborted(signal);
  await followFreezes({ ...options, history, told: new RedisRecordedFreezes(options) }, signal);
}

/** What is not written by then is given up. */
const graceMs = 2000;

/** Where a process tells what happened. */
export function startHistory(options: {
  readonly config: ConfigOf<typeof historyFields>;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}): StartedHistory {
  const { historyRetention: retentionMs, historyMaxLength: lengthMax } = options.config;
  if (retentionMs === 0) return { history: undefined, stop: async () => undefined };
  const history = new RedisHistory({ ...options, retentionMs, lengthMax });
  return { history, stop: () => history.stop(graceMs) };
}
