import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { ActionRecord, HistoryRecord, OperatorRecord } from "@fleet-reloader/engine/history/history";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { HistoryWriter } from "./history-writer.ts";

export interface RecordActOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** Maximum of records; the oldest are removed. Undefined: processes that record more remove them. */
  readonly lengthMax: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Writes an act of a person to the history and waits until Redis has it. Never rejects: the act itself is already done. */
export async function recordAct(record: OperatorRecord, options: RecordActOptions): Promise<void> {
  if (!(await isWritten([record], options)))
    options.log.error({}, "the act is done, but the history could not be written");
}

/** Records that failed rolls are discarded: only this record discards them. Faults when it cannot be written. */
export async function recordDiscards(
  records: readonly ActionRecord[],
  options: RecordActOptions,
): Promise<void> {
  if (!(await isWritten(records, options)))
    throw new Fault("redis.unavailable", "the history could not be written, so not all of it is discarded");
}

/** Resolves to whether Redis has all of the records. */
async function isWritten(records: readonly HistoryRecord[], options: RecordActOptions): Promise<boolean> {
  const { client, clock, keys, lengthMax, log } = options;
  let isDropped = false;
  const meter = {
    historyKept: (result: "written" | "dropped") => {
      isDropped ||= result === "dropped";
    },
  };
  const streams = Map.groupBy(records, ({ cluster }) => keys.history(cluster?.id));
  await Promise.all(
    [...streams].map(async ([stream, its]) => {
      const waitingMax = its.length;
      const writer = new HistoryWriter(stream, { client, lengthMax, waitingMax, clock, log, meter });
      for (const record of its) writer.append(record);
      await writer.finish();
    }),
  );
  return !isDropped;
}
