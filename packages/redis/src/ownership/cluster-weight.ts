import { asFault } from "@fleet-reloader/domain/fault";
import { defaultSourceKinds } from "@fleet-reloader/domain/source/source";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";

/** The fixed cost of a cluster, its connections and streams: some 100 KiB, as much as this many remembered objects. */
const objectsOfOne = 256;

export interface ClusterWeightsOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly log: Log;
}

/**
 * The cost of watching each cluster. The data of a cluster may lie on any node, and a node that is away must delay neither the other clusters nor
 * the caller: nobody waits for an answer.
 */
export class ClusterWeights {
  readonly #options: ClusterWeightsOptions;
  readonly #asked = new Set<ClusterId>();
  #read = new Map<ClusterId, number>();

  constructor(options: ClusterWeightsOptions) {
    this.#options = options;
  }

  /** Starts to read the weight of each cluster, unless a read is under way. */
  read(clusters: readonly ClusterId[]): void {
    for (const cluster of clusters) if (!this.#asked.has(cluster)) void this.#readOne(cluster);
  }

  /** The answers since the last call. */
  take(): ReadonlyMap<ClusterId, number> {
    const taken = this.#read;
    this.#read = new Map();
    return taken;
  }

  async #readOne(cluster: ClusterId): Promise<void> {
    this.#asked.add(cluster);
    try {
      this.#read.set(cluster, await readClusterWeight(cluster, this.#options));
    } catch (error) {
      // The cluster keeps its weight.
      this.#options.log.debug(
        { clusterUid: cluster, err: asFault(error).message },
        "a cluster was not weighed",
      );
    } finally {
      this.#asked.delete(cluster);
    }
  }
}

/**
 * The cost of watching a cluster, from the number of its remembered objects: 1 for a small or unknown cluster, otherwise a power of two, so that
 * a cluster that grows a little moves nothing.
 */
async function readClusterWeight(
  cluster: ClusterId,
  { client, keys }: ClusterWeightsOptions,
): Promise<number> {
  const its = keys.cluster(cluster);
  const hashes = [its.workloads, ...defaultSourceKinds.map((kind) => its.handled(kind))];
  const counts = await Promise.all(hashes.map((hash) => client.connection.hlen(hash)));
  const objects = counts.reduce((sum, count) => sum + count, 0);
  return 2 ** Math.round(Math.log2(Math.max(1, objects / objectsOfOne)));
}
