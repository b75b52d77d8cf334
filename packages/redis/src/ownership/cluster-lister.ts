import type { ListedRegistration } from "@fleet-reloader/domain/cluster/listed-cluster";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { type ListEntry, listSilenceMs, RedisClusterList } from "./redis-cluster-list.ts";

export interface ClusterListerOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** The name of this process among the others. */
  readonly member: string;
  /** The clock of Redis. */
  readonly clock: Pick<Clock, "now">;
}

/** The registrations that a process knows. */
export interface Listing {
  readonly listed: readonly ListedRegistration[];
  /** There are no others: every provider has reported its registrations. */
  readonly isWhole: boolean;
}

/**
 * Lists the clusters of one process in Redis, where the processes of a fleet share one list. A process that does not know a cluster, because it
 * has just started or has no route to it, leaves the entry of another one that does.
 */
export class ClusterLister {
  readonly #options: ClusterListerOptions;
  readonly #list: RedisClusterList;

  constructor(options: ClusterListerOptions) {
    const { client, keys } = options;
    this.#options = options;
    this.#list = new RedisClusterList({ client, keys });
  }

  async put({ isWhole, listed }: Listing): Promise<void> {
    const seen = { by: this.#options.member, atMs: this.#options.clock.now() };
    const others = (await this.#list.entries()).filter((entry) => isOfAnother(entry, seen));
    const known = new Map(others.map((entry) => [entry.registration, entry]));
    const entries = listed.map((one): ListEntry => {
      const other = isIdentified(one) ? undefined : known.get(one.registration);
      return other !== undefined && isIdentified(other) ? other : Object.assign({ seen }, one);
    });
    const mine = new Set(listed.map(({ registration }) => registration));
    const unheard = isWhole ? [] : others.filter(({ registration = "" }) => !mine.has(registration));
    await this.#list.put([...entries, ...unheard]);
  }
}

/** Whether another process saw it that has not ended since then. */
function isOfAnother({ registration, seen }: ListEntry, now: { readonly by: string; readonly atMs: number }) {
  if (registration === undefined || seen === undefined || seen.by === now.by) return false;
  return now.atMs - seen.atMs < listSilenceMs;
}

/** A paused registration leads to no cluster, so there is none to identify. */
function isIdentified({ id, status }: ListEntry): boolean {
  return id !== undefined || status?.state === "Paused";
}
