import type { ActedFleet } from "@fleet-reloader/engine/act/acted-fleet";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { type RecordActOptions, recordAct, recordDiscards } from "@fleet-reloader/redis/history/record-act";
import { RedisFreezeReadings } from "@fleet-reloader/redis/history/redis-recorded-freezes";
import { OpenBreakers } from "@fleet-reloader/redis/ledger/open-breakers";
import { recordsSince } from "@fleet-reloader/redis/overview/recent-records";
import { RedisFleetOverview } from "@fleet-reloader/redis/overview/redis-fleet-overview";
import type { BullWorkqueue } from "@fleet-reloader/redis/queue/bull-workqueue";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";

export interface ActedFleetOptions extends RecordActOptions {
  readonly queue: BullWorkqueue;
}

/** What operators' acts read and change in Redis. Its Redis user needs the role `operator` or `standalone`. */
export function openActedFleet(options: ActedFleetOptions): ActedFleet {
  const { client, clock, keys, lengthMax, log, queue } = options;
  const recording = { client, keys, lengthMax, clock, log };
  const reader = new HistoryReader({ client, keys });
  return {
    overview: new RedisFleetOverview({ client, keys, queue, clock }),
    queue,
    breakers: new OpenBreakers({ client, keys }),
    readings: new RedisFreezeReadings({ client, keys }),
    names: new NameMatches({ compile: createPatternCompiler(), clock }),
    clock,
    record: (record) => recordAct(record, recording),
    recordDiscards: (records) => recordDiscards(records, recording),
    history: (since) => recordsSince({ reader, clock }, since),
  };
}
