import { asFault } from "@fleet-reloader/domain/fault";
import { defaultSourceKinds } from "@fleet-reloader/domain/source/source";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";

/**
 * A cluster costs its connections and streams before it costs objects: some 100 KiB, as much as about so many objects that are
 * remembered.
 */
const objectsOfOne = 256;

export interface ClusterWeightsOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly log: Log;
}

/**
 * What watching clusters costs. What is remembered of each lies on a node of its own, so one node that is away must delay neither the other
 * clusters nor who reads: nobody waits for an answer.
 */
export class ClusterWeights {
  readonly #options: ClusterWeightsOptions;
  readonly #asked = new Set<ClusterId>();
  #read = new Map<ClusterId, number>();

  constructor(options: ClusterWeightsOptions) {
    this.#options = options;
  }

  /** Asks for the weight of each, unless it is being asked for. */
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
      // It keeps the weight that it has.
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
 * What watching a cluster costs, from the objects that are remembered of it: 1 for a small one and for one of which nothing is
 * known; above that a power of two, so that a cluster that grows a little moves nothing.
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
