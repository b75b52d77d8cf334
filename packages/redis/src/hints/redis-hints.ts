import { asFault } from "@fleet-reloader/domain/fault";
import { anythingKey } from "@fleet-reloader/domain/hint/hint";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";
import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { HintStore, PendingHint } from "@fleet-reloader/engine/hints/hint-store";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { addHintsScript, settleHintsScript } from "./hint-scripts.ts";

export interface RedisHintsOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  /** For tests. */
  readonly hintsMax?: number;
}

/** Shorter than a person notices; five small commands a second per shard, however many clusters it has. */
const hintPollMs = 200;
/** Some 2 MiB per cluster. For more objects a list is faster than reads of each. */
const defaultHintsMax = 20_000;
/** Small enough not to delay other clients of Redis. */
const hintPageSize = 1000;

interface Follower {
  readonly cluster: ClusterId;
  readonly onHints: (hints: readonly PendingHint[]) => void;
  /** The largest number it received; undefined: it was not read yet, and waits for the existing hints. */
  last: number | undefined;
}

/**
 * The hints of a cluster in one sorted set, each object once. A second set per shard lists the clusters with new hints, so that a process needs
 * one query for all its clusters.
 */
export class RedisHints implements HintStore {
  readonly #options: RedisHintsOptions;
  readonly #followers = new Set<Follower>();
  /** The largest number seen in each shard. */
  readonly #seen = new Map<string, number>();
  /** Ends the polling; undefined while nobody follows. */
  #life: AbortController | undefined;

  constructor(options: RedisHintsOptions) {
    this.#options = options;
  }

  async add(cluster: ClusterId, keys: ReadonlySet<string>): Promise<void> {
    const { client, hintsMax = defaultHintsMax } = this.#options;
    const its = this.#options.keys.cluster(cluster);
    const shard = this.#options.keys.hintsOf(cluster);
    const all = [...keys];
    for (let from = 0; from < all.length; from += hintPageSize) {
      const page = all.slice(from, from + hintPageSize).join("\n");
      const args = [String(hintsMax), anythingKey, cluster, page];
      await addHintsScript.run(client.connection, [its.hints, shard.lastNumber, shard.clusters], args);
    }
  }

  async follow(
    cluster: ClusterId,
    signal: AbortSignal,
    onHints: (hints: readonly PendingHint[]) => void,
  ): Promise<void> {
    const follower: Follower = { cluster, onHints, last: undefined };
    this.#followers.add(follower);
    this.#begin();
    await untilAborted(signal);
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#life?.abort();
    this.#life = undefined;
  }

  async settle(cluster: ClusterId, hints: readonly PendingHint[]): Promise<void> {
    const { client, keys } = this.#options;
    const at = [keys.cluster(cluster).hints, keys.hintsOf(cluster).clusters];
    for (let from = 0; from < hints.length; from += hintPageSize) {
      const page = hints.slice(from, from + hintPageSize);
      const args = page.flatMap(({ key, number }) => [key, String(number)]);
      await settleHintsScript.run(client.connection, at, [cluster, ...args]);
    }
  }

  #begin(): void {
    if (this.#life !== undefined) return;
    this.#life = new AbortController();
    void this.#poll(this.#life.signal);
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    let failure = "";
    while (!signal.aborted) {
      try {
        await unlessAborted(this.#look(), signal, "Redis");
        failure = "";
      } catch (error) {
        const { message } = asFault(error);
        if (!signal.aborted && message !== failure)
          log.warn({ err: message }, "hints could not be read; trying again");
        failure = message;
      }
      await clock.sleep(hintPollMs, signal).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { client, keys } = this.#options;
    const byShard = Map.groupBy(this.#followers, ({ cluster }) => keys.hintsOf(cluster).clusters);
    for (const [shard, followers] of byShard) {
      const seen = this.#seen.get(shard) ?? 0;
      const found = await client.connection.zrangebyscore(shard, `(${seen}`, "+inf", "WITHSCORES");
      const numbers = pairsOf(found);
      const hinted = new Set(numbers.map(({ key }) => key));
      for (const follower of followers)
        if (follower.last === undefined || hinted.has(follower.cluster)) await this.#give(follower);
      // Only now: after a failure the same clusters are read again.
      this.#seen.set(shard, Math.max(seen, ...numbers.map(({ number }) => number)));
    }
  }

  async #give(follower: Follower): Promise<void> {
    const { client, keys } = this.#options;
    const { hints } = keys.cluster(follower.cluster);
    const last = follower.last ?? 0;
    const pending = pairsOf(await client.connection.zrangebyscore(hints, `(${last}`, "+inf", "WITHSCORES"));
    if (!this.#followers.has(follower)) return;
    follower.last = Math.max(last, ...pending.map(({ number }) => number));
    if (pending.length > 0) follower.onHints(pending);
  }
}

function pairsOf(flat: readonly string[]): readonly PendingHint[] {
  const pairs: PendingHint[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2)
    pairs.push({ key: flat[at] ?? "", number: Number(flat[at + 1]) });
  return pairs;
}
