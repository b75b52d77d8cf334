import { ClusterKeys, Keys, queueName } from "../connection/keys.ts";

/** What the keys of all shards and all clusters look like, as the patterns of Redis' users say it. */
export class KeyPatterns {
  readonly #keys: Keys;
  readonly #prefix: string;

  /** The prefix of `Keys`; a test gives `*` for any. */
  constructor(prefix: string) {
    this.#prefix = prefix;
    this.#keys = new Keys(prefix);
  }

  get fleet() {
    return this.#keys.fleet;
  }

  /** Members and owners; the script of ownership names the root as its key. */
  get ownership(): readonly string[] {
    const { owners, root } = this.#keys.fleet;
    return [root, `${root}:members`, `${owners}*`];
  }

  /** What watchers say of their clusters. */
  get reports(): string {
    return `${this.#keys.fleet.root}:reports*`;
  }

  /** All of the queue. */
  get queue(): string {
    return `${this.#ofShards(`${this.#keys.queuePrefixes[0]}:${queueName}`)}:*`;
  }

  get holds(): readonly string[] {
    return [this.#keys.holdTimes(0), this.#keys.holdTexts(0)].map((key) => this.#ofShards(key));
  }

  get history(): string {
    return this.#ofShards(this.#keys.history(undefined));
  }

  get hints(): readonly string[] {
    return Object.values(this.#keys.hintsOf("")).map((key) => this.#ofShards(key));
  }

  /** Who is signed in. */
  get sessions(): string {
    return this.#keys.fleet.session("*");
  }

  /** It lies in the first shard alone. */
  get markKeyId(): string {
    return this.#keys.markKeyId;
  }

  /** What is known of each cluster. */
  get cluster(): ClusterKeys {
    return new ClusterKeys(this.#keys.ofClusters("*"));
  }

  /** Everything that is known of clusters. */
  get clusters(): string {
    return this.#keys.ofClusters("*");
  }

  /** Budgets and breakers. */
  get ledger(): string {
    return `${this.#keys.rollLedger}*`;
  }

  get breakers(): string {
    return `${this.#keys.rollLedger}:k:*`;
  }

  /** Everything of ours. */
  get all(): string {
    return `{${this.#prefix}:*`;
  }

  #ofShards(key: string): string {
    const [first = ""] = this.#keys.queuePrefixes;
    return key.replace(first, `{${this.#prefix}:*}`);
  }
}
