import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { OperatorRecord } from "@fleet-reloader/engine/history/history";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { HistoryWriter } from "./history-writer.ts";

export interface RecordActOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** Of more records the oldest go. */
  readonly lengthMax: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Writes an act of a person to the history, and waits until Redis has it. Never rejects: the act is done. */
export async function recordAct(record: OperatorRecord, options: RecordActOptions): Promise<void> {
  const { client, clock, keys, lengthMax, log } = options;
  let isDropped = false;
  const meter = {
    historyKept: (result: "written" | "dropped") => {
      isDropped ||= result === "dropped";
    },
  };
  const stream = keys.history(undefined);
  const writer = new HistoryWriter(stream, { client, lengthMax, waitingMax: 1, clock, log, meter });
  writer.append(record);
  await writer.finish();
  if (isDropped) log.error({}, "the act is done, but the history could not be written");
}
