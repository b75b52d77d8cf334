import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { KeyedRedis } from "../connection/client.ts";
import { Script } from "../connection/script.ts";
import { readList } from "./index-entry.ts";

/** Counts for one cluster. */
export interface ClusterCounts {
  /** Opted-in workloads. */
  readonly workloads: number;
  /** Of these, those that no worker has observed yet. */
  readonly unobserved: number;
  /** Unfinished rollouts. One that failed or stalled is followed for a day longer and does not count. */
  readonly rollouts: number;
}

/** Clusters per call. With a hundred rollouts in each, Redis is blocked for a millisecond. */
const countedAtOnce = 20;

/**
 * KEYS: for each cluster its workloads, the unobserved ones and its rollouts. Returns a count for each. The run of a rollout that ended badly has
 * a `badEnd` beside its sources.
 */
const countScript = new Script(`
local counts = {}
for i = 1, #KEYS, 3 do
  counts[i] = redis.call('HLEN', KEYS[i])
  counts[i + 1] = redis.call('SCARD', KEYS[i + 1])
  local runs = redis.call('HGETALL', KEYS[i + 2])
  local rolling = 0
  for at = 2, #runs, 2 do
    if not string.find(runs[at], '"badEnd":{', 1, true) then rolling = rolling + 1 end
  end
  counts[i + 2] = rolling
end
return counts
`);

/** Counts the workloads and rollouts of these clusters. */
export async function countClusters(
  clusters: readonly ClusterId[],
  { client, keys }: KeyedRedis,
): Promise<ReadonlyMap<ClusterId, ClusterCounts>> {
  const shards = Map.groupBy(clusters, (cluster) => keys.shardOf(cluster));
  const parts = [...shards.values()].flatMap((its) =>
    Array.from({ length: Math.ceil(its.length / countedAtOnce) }, (_, at) =>
      its.slice(at * countedAtOnce, (at + 1) * countedAtOnce),
    ),
  );
  const counted = await Promise.all(
    parts.map(async (part) => {
      const names = part.flatMap((cluster) => {
        const { rollouts, unreconciled, workloads } = keys.cluster(cluster);
        return [workloads, unreconciled, rollouts];
      });
      const counts = readList(await countScript.runReadOnly(client.connection, names, [])).map(Number);
      return part.map((cluster, at) => {
        const [workloads = 0, unobserved = 0, rollouts = 0] = counts.slice(3 * at);
        return [cluster, { workloads, unobserved, rollouts }] as const;
      });
    }),
  );
  return new Map(counted.flat());
}
