import { historyFilter } from "@fleet-reloader/contracts/history-filter";
import type { HistoryQuery } from "@fleet-reloader/contracts/history-query";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { withCalledClusters } from "./called-clusters.ts";
import { withEarlierChanges } from "./earlier-changes.ts";

/** Which records match a query, using the names and ids that only Redis knows. */
export async function wantedRecords(
  query: HistoryQuery,
  redis: { readonly client: RedisClient; readonly keys: Keys },
  signal?: AbortSignal,
): Promise<(record: HistoryRecord) => boolean> {
  const called = await withCalledClusters(query, redis);
  return historyFilter(await withEarlierChanges(called, redis, signal));
}
