import { type ClusterStatus, clusterStates } from "@fleet-reloader/domain/cluster/cluster-status";
import type { ListedCluster } from "@fleet-reloader/domain/cluster/listed-cluster";
import { jsonField, jsonList, jsonText, parseJson } from "@fleet-reloader/domain/json";
import type { KeyedRedis, RedisClient } from "../connection/client.ts";

/** A process that serves clusters lists them every 5 s. One that was silent this long has ended. */
export const listSilenceMs = 60_000;

/** An entry of the list with its origin. Undefined parts: an older version wrote it. */
export interface ListEntry extends ListedCluster {
  /** The id of the registration. */
  readonly registration?: string | undefined;
  /** The process that saw what the entry says, and when, by the clock of Redis. */
  readonly seen?: { readonly by: string; readonly atMs: number } | undefined;
}

/** The registered clusters, in Redis, for processes without registrations of their own. No decision depends on it. */
export class RedisClusterList {
  readonly #client: RedisClient;
  readonly #key: string;

  constructor(options: KeyedRedis) {
    this.#client = options.client;
    this.#key = options.keys.fleet.clusters;
  }

  async put(entries: readonly ListEntry[]): Promise<void> {
    await this.#client.connection.set(this.#key, JSON.stringify(entries), "PX", listSilenceMs);
  }

  /** Undefined: no process serves clusters now. */
  async read(): Promise<readonly ListedCluster[] | undefined> {
    return (await this.#values())?.map(readListed);
  }

  /** The list as it was put. */
  async entries(): Promise<readonly ListEntry[]> {
    return ((await this.#values()) ?? []).map((value) =>
      Object.assign(readListed(value), {
        registration: jsonText(value, "registration"),
        seen: readSeenBy(jsonField(value, "seen")),
      }),
    );
  }

  async #values(): Promise<readonly unknown[] | undefined> {
    const text = await this.#client.connection.get(this.#key);
    return text === null ? undefined : jsonList(parseJson(text));
  }
}

function readListed(value: unknown): ListedCluster {
  return {
    name: jsonText(value, "name") ?? "",
    id: jsonText(value, "id"),
    labels: labelsOf(jsonField(value, "labels")),
    status: readClusterStatus(jsonField(value, "status")),
  };
}

function readSeenBy(value: unknown): ListEntry["seen"] {
  const [by, atMs] = [jsonText(value, "by"), jsonField(value, "atMs")];
  return by === undefined || typeof atMs !== "number" ? undefined : { by, atMs };
}

/** The status in the text of a process; undefined when this version does not know it. */
export function readClusterStatus(value: unknown): ClusterStatus | undefined {
  const state = clusterStates.find((one) => one === jsonText(value, "state"));
  const why = jsonList(value, "why").filter((line) => typeof line === "string");
  return state === undefined ? undefined : { state, why };
}

function labelsOf(value: unknown): ListedCluster["labels"] {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
