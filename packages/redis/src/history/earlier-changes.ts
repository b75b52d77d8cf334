import type { HistoryQuery } from "@fleet-reloader/contracts/history-query";
import { parseHistoryRecord } from "@fleet-reloader/contracts/history-record";
import { isFleetChange } from "@fleet-reloader/domain/source/fleet-change";
import type { ChangeId } from "@fleet-reloader/engine/history/history";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { recordText, streamPages } from "./stream-entry.ts";

/**
 * The query with the ids that its change has in each cluster, as far as they are recorded before the records that are asked for. A change of
 * a cluster is recorded once, and what came of it names only its id there. Costs as much as a question without `since`.
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

/** The id in its cluster, where this is a record of the change. */
function idIn(text: string, fleetChange: string): readonly ChangeId[] {
  if (!text.includes(fleetChange)) return [];
  const record = parseHistoryRecord(text);
  return record?.type === "change" && record.fleetChange === fleetChange ? [record.change] : [];
}
