import { type ClusterStatus, clusterStates } from "@fleet-reloader/domain/cluster/cluster-status";
import type { ListedCluster } from "@fleet-reloader/domain/cluster/listed-cluster";
import { jsonField, jsonList, jsonText, parseJson } from "@fleet-reloader/domain/json";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";

/** A process that serves clusters lists them every 5 s. One that was silent this long has ended. */
const listSilenceMs = 60_000;

/** The registered clusters, in Redis, for processes without registrations of their own. No decision depends on it. */
export class RedisClusterList {
  readonly #client: RedisClient;
  readonly #key: string;

  constructor(options: { readonly client: RedisClient; readonly keys: Keys }) {
    this.#client = options.client;
    this.#key = options.keys.fleet.clusters;
  }

  async put(clusters: readonly ListedCluster[]): Promise<void> {
    await this.#client.connection.set(this.#key, JSON.stringify(clusters), "PX", listSilenceMs);
  }

  /** Undefined: no process serves clusters now. */
  async read(): Promise<readonly ListedCluster[] | undefined> {
    const text = await this.#client.connection.get(this.#key);
    if (text === null) return undefined;
    return jsonList(parseJson(text)).map((each) => ({
      name: jsonText(each, "name") ?? "",
      id: jsonText(each, "id"),
      labels: labelsOf(jsonField(each, "labels")),
      status: readClusterStatus(jsonField(each, "status")),
    }));
  }
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
