import type { KeyedRedis, RedisClient } from "../connection/client.ts";

/**
 * The names of all freeze documents that ever existed, in one Redis set. It distinguishes a deleted document from one that
 * never existed, also for a process that starts later. What is frozen is never read from here (ADR 0011).
 */
export class RedisKnownDocuments {
  /** An embedded Redis lies in the data dir of its processes. */
  readonly isOfDataDir: boolean;
  readonly #client: RedisClient;
  readonly #key: string;

  constructor(options: KeyedRedis) {
    this.#client = options.client;
    this.isOfDataDir = options.client.isEmbedded;
    this.#key = options.keys.fleet.freezeDocuments;
  }

  async has(name: string): Promise<boolean> {
    return (await this.#client.connection.sismember(this.#key, name)) === 1;
  }

  async add(name: string): Promise<void> {
    await this.#client.connection.sadd(this.#key, name);
  }
}
