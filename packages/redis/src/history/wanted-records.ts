import { historyFilter } from "@fleet-reloader/contracts/history-filter";
import type { HistoryQuery } from "@fleet-reloader/contracts/history-query";
import { parseHistoryRecord } from "@fleet-reloader/contracts/history-record";
import { isFleetChange } from "@fleet-reloader/domain/source/fleet-change";
import type { ChangeId, HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { KeyedRedis } from "../connection/client.ts";
import { RedisClusterList } from "../ownership/redis-cluster-list.ts";
import { recordText, streamPages } from "./stream-entry.ts";

/** Which records match a query, using the names and ids that only Redis knows. */
export async function wantedRecords(
  query: HistoryQuery,
  redis: KeyedRedis,
  signal?: AbortSignal,
): Promise<(record: HistoryRecord) => boolean> {
  const called = await withCalledClusters(query, redis);
  return historyFilter(await withEarlierChanges(called, redis, signal));
}

/**
 * Adds the ids of the clusters that now have the name in the query. A record has the name that its cluster had when it was written, and the name
 * of the registration that served it then.
 */
async function withCalledClusters(query: HistoryQuery, options: KeyedRedis): Promise<HistoryQuery> {
  const { cluster } = query;
  if (cluster === undefined) return query;
  const listed = (await new RedisClusterList(options).read()) ?? [];
  const clusterIds = listed.flatMap(({ id, name }) => (name === cluster && id !== undefined ? [id] : []));
  return { ...query, clusterIds };
}

/**
 * Adds the ids that the change of the query has in each cluster, if they were recorded before the requested records. A change is recorded once in
 * its cluster; later records name only the id there. Costs as much as a query without `since`.
 */
async function withEarlierChanges(
  query: HistoryQuery,
  { client, keys }: KeyedRedis,
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
