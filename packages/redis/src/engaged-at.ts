import type { Clock } from "@fleet-reloader/engine/clock";
import type { ClusterId } from "@fleet-reloader/engine/request";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";

/** Since when this cluster is watched, in seconds; begins now for a cluster that is new to this Redis. */
export async function readEngagedAt(
  cluster: ClusterId,
  { client, keys, clock }: { readonly client: RedisClient; readonly keys: Keys; readonly clock: Clock },
): Promise<number> {
  const key = keys.cluster(cluster).engagedAt;
  const now = Math.floor(clock.now() / 1000);
  await client.connection.set(key, String(now), "NX");
  return Number((await client.connection.get(key)) ?? now);
}
