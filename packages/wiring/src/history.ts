import { followFreezes } from "@fleet-reloader/engine/admission/freeze-news";
import type { Freezes } from "@fleet-reloader/engine/admission/freezes";
import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { AttributedHistory } from "@fleet-reloader/engine/history/attributed-history";
import type { History } from "@fleet-reloader/engine/history/history";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisAuditedWrites } from "@fleet-reloader/redis/hints/redis-audited-writes";
import { RedisHistory } from "@fleet-reloader/redis/history/redis-history";
import { RedisRecordedFreezes } from "@fleet-reloader/redis/history/redis-recorded-freezes";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";

export interface StartedHistory {
  /** Undefined: no history is kept. */
  readonly history: History | undefined;
  stop(): Promise<void>;
}

export interface RecordFreezesOptions {
  readonly freezes: Freezes;
  readonly history: History | undefined;
  readonly client: RedisClient;
  readonly keys: Keys;
  /** The name of this process. No other process has it. */
  readonly member: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Publishes the freezes, and records in the history when one begins or ends. Resolves when the signal is aborted. */
export async function recordFreezes(options: RecordFreezesOptions, signal: AbortSignal): Promise<void> {
  const { clock, client, freezes, history, keys, log, member } = options;
  const told = new RedisRecordedFreezes({ client, keys, member });
  await followFreezes({ freezes, told, history, clock, log }, signal);
}

/** Records that are unwritten by then are dropped. */
const historyGraceMs = 2000;

export interface HistoryOptions {
  readonly config: ConfigOf<typeof historyFields>;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** Opens the history of a process. Removes records that are no longer to be kept, even when no history is kept. */
export function startHistory({ client, clock, config, keys, log, meter }: HistoryOptions): StartedHistory {
  const { historyRetention: retentionMs } = config;
  const isKept = retentionMs > 0;
  const lengthMax = isKept ? config.historyMaxLength : 0;
  const history = new RedisHistory({ client, keys, retentionMs, lengthMax, clock, log, meter });
  history.trim();
  if (!isKept) return { history: undefined, stop: async () => undefined };
  const writes = new RedisAuditedWrites({ client, keys });
  const attributed = new AttributedHistory({ history, writes, clock, log });
  return {
    history: attributed,
    async stop() {
      await atMost(historyGraceMs, clock, attributed.settled);
      await history.stop(historyGraceMs);
    },
  };
}
