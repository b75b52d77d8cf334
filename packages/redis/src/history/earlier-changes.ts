import type { HistoryQuery } from "@fleet-reloader/contracts/history-query";
import { parseHistoryRecord } from "@fleet-reloader/contracts/history-record";
import { isFleetChange } from "@fleet-reloader/domain/source/fleet-change";
import type { ChangeId } from "@fleet-reloader/engine/history/history";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { recordText, streamPages } from "./stream-entry.ts";

/**
 * Adds the ids that the change of the query has in each cluster, if they were recorded before the requested records. A change is recorded once in
 * its cluster; later records name only the id there. Costs as much as a query without `since`.
 */
export async function withEarlierChanges(
  query: HistoryQuery,
  { client, keys }: { readonly client: RedisClient; readonly keys: Keys },
  signal?: AbortSignal,
): Promise<HistoryQuery> {
  const { change, since } = query;
  const sinceMs = "ms" in since ? Math.floor(since.ms) : Number(since.afterId.split("-")[0]);
  if (change === undefined || !isFleetChange(change) || sinceMs <= 0) return query;
  const changeIds: ChangeId[] = [];
  for (const stream of keys.histories)
    for await (const page of streamPages(client, stream, { start: "-", end: String(sinceMs) }, signal))
      changeIds.push(...page.flatMap(([, fields]) => idIn(recordText(fields), change)));
  return { ...query, changeIds };
}

/** The id in its cluster, if this is a record of the change. */
function idIn(text: string, fleetChange: string): readonly ChangeId[] {
  if (!text.includes(fleetChange)) return [];
  const record = parseHistoryRecord(text);
  return record?.type === "change" && record.fleetChange === fleetChange ? [record.change] : [];
}
