import { defaultSourceKinds } from "@fleet-reloader/domain/source/source";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";

/**
 * A cluster costs its connections and streams before it costs objects: some 100 KiB, as much as about so many objects that are
 * remembered.
 */
const objectsOfOne = 256;

/**
 * What watching a cluster costs, from the objects that are remembered of it: 1 for a small one and for one of which nothing is
 * known; above that a power of two, so that a cluster that grows a little moves nothing.
 */
export async function readClusterWeight(
  cluster: ClusterId,
  { client, keys }: { readonly client: RedisClient; readonly keys: Keys },
): Promise<number> {
  const its = keys.cluster(cluster);
  const hashes = [its.workloads, ...defaultSourceKinds.map((kind) => its.handled(kind))];
  const counts = await Promise.all(hashes.map((hash) => client.connection.hlen(hash)));
  const objects = counts.reduce((sum, count) => sum + count, 0);
  return 2 ** Math.round(Math.log2(Math.max(1, objects / objectsOfOne)));
}
