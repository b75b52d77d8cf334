import type { RegisteredCluster } from "@fleet-reloader/domain/hold/freeze-coverage";
import { jsonField, jsonList, jsonText, parseJson } from "@fleet-reloader/domain/json";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";

/** Whoever serves clusters says every 5 s which these are. One that has said nothing for so long has ended. */
const listSilenceMs = 60_000;

/** The registered clusters, in Redis, for whoever has no registrations of its own. Nothing is decided by it. */
export class RedisClusterList {
  readonly #client: RedisClient;
  readonly #key: string;

  constructor(options: { readonly client: RedisClient; readonly keys: Keys }) {
    this.#client = options.client;
    this.#key = options.keys.fleet.clusters;
  }

  async put(clusters: readonly RegisteredCluster[]): Promise<void> {
    await this.#client.connection.set(this.#key, JSON.stringify(clusters), "PX", listSilenceMs);
  }

  /** Undefined: nobody serves clusters now. */
  async read(): Promise<readonly RegisteredCluster[] | undefined> {
    const text = await this.#client.connection.get(this.#key);
    if (text === null) return undefined;
    return jsonList(parseJson(text)).map((each) => ({
      name: jsonText(each, "name") ?? "",
      id: jsonText(each, "id"),
      labels: labelsOf(jsonField(each, "labels")),
    }));
  }
}

function labelsOf(value: unknown): RegisteredCluster["labels"] {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}
