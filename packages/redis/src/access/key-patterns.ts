import { ClusterKeys, Keys, queueName } from "../connection/keys.ts";

/** The keys of all shards and clusters, as patterns for the ACL rules of Redis. */
export class KeyPatterns {
  readonly #keys: Keys;
  readonly #prefix: string;

  /** The prefix of `Keys`; a test passes `*` for any prefix. */
  constructor(prefix: string) {
    this.#prefix = prefix;
    this.#keys = new Keys(prefix);
  }

  get fleet() {
    return this.#keys.fleet;
  }

  /** Members and owners. The ownership script gets the root as its key. */
  get ownership(): readonly string[] {
    const { owners, root } = this.#keys.fleet;
    return [root, `${root}:members`, `${owners}*`];
  }

  /** The reports of watchers about their clusters. */
  get reports(): string {
    return `${this.#keys.fleet.root}:reports*`;
  }

  /** All keys of the queue. */
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

  /** Sign-in sessions. */
  get sessions(): string {
    return this.#keys.fleet.session("*");
  }

  /** This key exists only in the first shard. */
  get markKeyId(): string {
    return this.#keys.markKeyId;
  }

  /** The keys of one cluster, as patterns for every cluster. */
  get cluster(): ClusterKeys {
    return new ClusterKeys(this.#keys.ofClusters("*"));
  }

  /** All keys of all clusters. */
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

  /** All keys of the product. */
  get all(): string {
    return `{${this.#prefix}:*`;
  }

  #ofShards(key: string): string {
    const [first = ""] = this.#keys.queuePrefixes;
    return key.replace(first, `{${this.#prefix}:*}`);
  }
}
