import type { IdentifyCaller } from "@fleet-reloader/dashboard/access/caller";
import type { DashboardActs } from "@fleet-reloader/dashboard/acts/dashboard-acts";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { recordAct, recordDiscards } from "@fleet-reloader/redis/history/record-act";
import { OpenBreakers } from "@fleet-reloader/redis/ledger/open-breakers";
import { recordsSince } from "@fleet-reloader/redis/overview/recent-records";
import { RedisFleetOverview } from "@fleet-reloader/redis/overview/redis-fleet-overview";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import type { FreezeStores } from "@fleet-reloader/runtime/freeze/freeze-store";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";

export interface DashboardActsOptions {
  /** Says who acts. */
  readonly identify: IdentifyCaller;
  /** Where freezes are declared, for all processes to read; undefined: nowhere. */
  readonly freezes: FreezeStores | undefined;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly queue: BullWorkqueue;
  /** Of more records in a stream of the history the oldest go. */
  readonly historyLengthMax: number;
  /** Redis' own. */
  readonly clock: Clock;
  readonly log: Log;
}

/** What lets people act on a dashboard. Its user of Redis needs the role `operator`, or `standalone`. */
export function createDashboardActs(options: DashboardActsOptions): DashboardActs {
  const { client, clock, freezes, historyLengthMax: lengthMax, identify, keys, log, queue } = options;
  const recording = { client, keys, lengthMax, clock, log };
  const reader = new HistoryReader({ client, keys });
  return {
    identify,
    freezes,
    fleet: {
      overview: new RedisFleetOverview({ client, keys, queue, clock }),
      queue,
      breakers: new OpenBreakers({ client, keys }),
      names: new NameMatches({ compile: createPatternCompiler(), clock }),
      clock,
      record: (record) => recordAct(record, recording),
      recordDiscards: (records) => recordDiscards(records, recording),
      history: (since) => recordsSince({ reader, clock }, since),
    },
  };
}
