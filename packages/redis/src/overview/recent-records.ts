import { parseHistoryQuery } from "@fleet-reloader/contracts/history-query";
import { Fault } from "@fleet-reloader/domain/fault";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { textFlag } from "../frame/cli-fields.ts";
import type { FleetRedis } from "../redis/fleet-redis.ts";

export const sinceFlag = textFlag(
  "since",
  "TIME",
  "Start: a time such as 2026-01-31T18:00:00Z, or an age such as 2h. Without it, 1h.",
);

/** As many records as are read and summarized in a second or two. */
const recordsReadMax = 50_000;

export interface RecentRecords {
  /** Oldest first. */
  readonly records: readonly HistoryRecord[];
  /** There are more, and newer ones. */
  readonly isCut: boolean;
}

/** The records of the history since a time that match all given filters. */
export async function recentRecords(
  { client, keys, clock }: FleetRedis,
  filters: Readonly<Record<"since" | "cluster" | "namespace" | "name" | "change", string>>,
): Promise<RecentRecords> {
  const { since, cluster, namespace, name, change } = filters;
  const given = { since: since || "1h", cluster, namespace, name, change, limit: String(recordsReadMax) };
  const parameters = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ""));
  const query = parseHistoryQuery(parameters, clock.now());
  if ("problems" in query)
    throw new Fault("config.invalid", query.problems.map((problem) => `--${problem}`).join("\n"));
  const records: HistoryRecord[] = [];
  for await (const { record } of new HistoryReader({ client, keys }).read(query)) records.push(record);
  return { records, isCut: records.length === recordsReadMax };
}
