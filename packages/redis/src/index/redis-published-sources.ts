import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type {
  PublishedSource,
  PublishedSources,
} from "@fleet-reloader/engine/watch/sources/webhook-publisher";
import type { RedisClient } from "../connection/client.ts";
import { type Keys, readHandledField } from "../connection/keys.ts";
import { hashFields } from "./hash-fields.ts";

/**
 * The last published version and keyed mark of each source of one cluster, in one Redis hash. It lies beside the index, which detects its loss.
 * After a loss everything is stored again and nothing is published.
 */
export class RedisPublishedSources implements PublishedSources {
  readonly #client: RedisClient;
  readonly #key: string;

  constructor(options: { readonly cluster: ClusterId; readonly client: RedisClient; readonly keys: Keys }) {
    this.#client = options.client;
    this.#key = options.keys.cluster(options.cluster).told;
  }

  async find(sources: readonly SourceRef[]): Promise<readonly (PublishedSource | undefined)[]> {
    if (sources.length === 0) return [];
    const found = await this.#client.connection.hmget(this.#key, ...sources.map(sourceKey));
    return sources.map((ref, at) => {
      const [resourceVersion, mark] = (found[at] ?? "").split(" ");
      return resourceVersion && mark ? { ref, resourceVersion, mark } : undefined;
    });
  }

  async remember(published: readonly PublishedSource[]): Promise<void> {
    if (published.length === 0) return;
    const fields = published.flatMap(({ ref, resourceVersion, mark }) => [
      sourceKey(ref),
      `${resourceVersion} ${mark}`,
    ]);
    await this.#client.connection.hset(this.#key, ...fields);
  }

  async remembered(kind: SourceKind, namespace: string | undefined): Promise<readonly SourceRef[]> {
    const prefix = namespace === undefined ? `${kind}/` : `${kind}/${namespace}/`;
    const keys = await hashFields(this.#client.connection, this.#key, prefix);
    return [...keys].flatMap((key) => readHandledField(kind, key.slice(`${kind}/`.length)) ?? []);
  }

  async forget(sources: readonly SourceRef[]): Promise<void> {
    if (sources.length > 0) await this.#client.connection.hdel(this.#key, ...sources.map(sourceKey));
  }
}
