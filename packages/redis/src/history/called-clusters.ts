import type { HistoryQuery } from "@fleet-reloader/contracts/history-query";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { RedisClusterList } from "../ownership/redis-cluster-list.ts";

/**
 * Adds the ids of the clusters that now have the name in the query. A record has the name that its cluster had when it was written, and the name
 * of the registration that served it then.
 */
export async function withCalledClusters(
  query: HistoryQuery,
  options: { readonly client: RedisClient; readonly keys: Keys },
): Promise<HistoryQuery> {
  const { cluster } = query;
  if (cluster === undefined) return query;
  const listed = (await new RedisClusterList(options).read()) ?? [];
  const clusterIds = listed.flatMap(({ id, name }) => (name === cluster && id !== undefined ? [id] : []));
  return { ...query, clusterIds };
}
