import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { byShardPlace, readPlace } from "../history/stream-entry.ts";
import { streamExtent } from "../history/stream-extent.ts";
import type { BullWorkqueue } from "../queue/bull-workqueue.ts";

export interface RedisFreshnessOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** Read only. */
  readonly queue: Pick<BullWorkqueue, "queues">;
}

/** The end of the history. */
export interface HistoryEnd {
  /** The id of the newest record in all shards, in the format of `HistoryLine`; empty when there has been none. */
  readonly id: string;
  /** The newest id of each shard; empty when there has been none. */
  readonly ids: readonly string[];
  /** The number of records ever added to each shard. A smaller number than before means that Redis lost the stream. */
  readonly added: readonly number[];
}

/** Texts that change when something is newer. They miss what changed back between two readings. */
export type FleetVersions = Readonly<Record<"held" | "queue" | "clusters", string>>;

/** Tells whether the state of a fleet in Redis is newer than before. Each command costs Redis the same time whatever the size of the fleet. */
export class RedisFreshness {
  readonly #options: RedisFreshnessOptions;

  constructor(options: RedisFreshnessOptions) {
    this.#options = options;
  }

  /** One command for each shard. */
  async historyEnd(): Promise<HistoryEnd> {
    const { client, keys } = this.#options;
    const shards = await Promise.all(keys.histories.map((stream) => streamExtent(stream, client)));
    const ids = shards.map(({ lastId }) => lastId);
    return { id: newestIdOf(ids), ids, added: shards.map(({ added }) => added) };
  }

  /** Two commands for each shard, and three more. */
  async versions(): Promise<FleetVersions> {
    const { client, keys, queue } = this.#options;
    const { connection } = client;
    const { clusters, ownersVersion, reportsVersion } = keys.fleet;
    const [counts, held, ...listed] = await Promise.all([
      Promise.all(
        queue.queues.map((each) => each.getJobCounts("wait", "prioritized", "active", "delayed", "failed")),
      ),
      Promise.all(queue.queues.map((_, shard) => connection.zcard(keys.holdTimes(shard)))),
      connection.get(ownersVersion),
      connection.get(reportsVersion),
      connection.strlen(clusters),
    ]);
    return { queue: JSON.stringify(counts), held: JSON.stringify(held), clusters: JSON.stringify(listed) };
  }
}

/** In the format of the history reader, with its shard. Of two shards with one id the later shard is read later. */
function newestIdOf(ids: readonly string[]): string {
  const newest = ids
    .flatMap((id, shard) => (id === "" ? [] : [{ id, shard, ...readPlace(id) }]))
    .toSorted(byShardPlace)
    .at(-1);
  return newest === undefined ? "" : `${newest.id}-${newest.shard}`;
}
