import type { FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import { historyVersion } from "@fleet-reloader/engine/history/history";
import { HistoryWriter } from "@fleet-reloader/redis/history/history-writer";
import { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import type { FleetRedis } from "../redis/fleet-redis.ts";

export interface RecordedAct {
  readonly action: "retry" | "release" | "replay";
  readonly by: string;
  readonly target: string;
  readonly scope: Omit<FreezeScope, "clusterSelector">;
  readonly reason: string;
  readonly count: number;
}

/** Writes an act of a person to the history, and waits until Redis has it. */
export async function recordAct(
  { action, by, target, scope, reason, count }: RecordedAct,
  redis: FleetRedis,
): Promise<void> {
  const { client, keys, clock } = redis;
  const log = createLog({ service: "cli", level: "error", format: "json" });
  const lengthMax = historyFields.historyMaxLength.schema.parse(undefined);
  let isDropped = false;
  const meter = {
    historyKept: (result: "written" | "dropped") => {
      isDropped ||= result === "dropped";
    },
  };
  const writer = new HistoryWriter(keys.history(undefined), {
    client,
    lengthMax,
    waitingMax: 1,
    clock,
    log,
    meter,
  });
  const time = new Date(clock.now()).toISOString();
  const note = `${reason} (${count})`;
  writer.append({ v: historyVersion, time, type: "operator", action, by, target, scope, note });
  await writer.finish();
  if (isDropped) log.error({}, "the act is done, but the history could not be written");
}
