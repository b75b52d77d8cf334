import { defaultSourceKinds } from "@fleet-reloader/domain/source";
import type { ClusterId } from "@fleet-reloader/engine/request";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";

/**
 * What watching a cluster costs: the objects that are remembered of it, as a power of two, so that a cluster that grows a little
 * moves nothing. One of which nothing is known costs 1.
 */
export async function readClusterWeight(
  cluster: ClusterId,
  { client, keys }: { readonly client: RedisClient; readonly keys: Keys },
): Promise<number> {
  const its = keys.cluster(cluster);
  const hashes = [its.workloads, ...defaultSourceKinds.map((kind) => its.handled(kind))];
  const counts = await Promise.all(hashes.map((hash) => client.connection.hlen(hash)));
  const objects = counts.reduce((sum, count) => sum + count, 0);
  return 2 ** Math.round(Math.log2(Math.max(1, objects)));
}
