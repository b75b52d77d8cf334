import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { ChangeId, History, HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { Keys } from "../connection/keys.ts";
import { HistoryWriter, type HistoryWriterOptions } from "./history-writer.ts";

export interface RedisHistoryOptions extends Omit<HistoryWriterOptions, "waitingMax"> {
  readonly keys: Keys;
  /** Records older than this go when others are written. */
  readonly retentionMs: number;
}

/** In all shards: some megabytes. */
const waitingMax = 10_000;
/** What a storm in one cluster makes within moments finds room, however many shards there are. */
const waitingInShardLeast = 1000;
/** While records are written, old ones go within a minute of their time, also in shards that nobody writes to. */
const trimEveryMs = 60_000;
/** Changes this process has told: the workloads of one source are looked at within moments. */
const toldMax = 5000;

/**
 * The history as a Redis stream for each shard. Each is written on its own: of a Redis Cluster one node may be away, and the others
 * need not know.
 */
export class RedisHistory implements History {
  readonly #options: RedisHistoryOptions;
  /** Of each shard's stream. */
  readonly #writers: ReadonlyMap<string, HistoryWriter>;
  readonly #told = new Set<ChangeId>();
  #trimmedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: RedisHistoryOptions) {
    this.#options = options;
    const { histories, shards } = options.keys;
    const room = Math.max(waitingInShardLeast, Math.floor(waitingMax / shards));
    this.#writers = new Map(
      histories.map((stream) => [stream, new HistoryWriter(stream, { ...options, waitingMax: room })]),
    );
  }

  append(records: readonly HistoryRecord[]): void {
    if (records.length > 0) this.#trim();
    for (const record of records) {
      if (record.type === "change" && this.#isTold(record.change)) continue;
      this.#writers.get(this.#options.keys.history(record.cluster?.id))?.append(record);
    }
  }

  /** What waits is written, for as long as there is time. */
  async stop(graceMs: number): Promise<void> {
    const finished = Promise.all([...this.#writers.values()].map((writer) => writer.finish()));
    await atMost(graceMs, this.#options.clock, finished);
  }

  #trim(): void {
    const { clock, retentionMs } = this.#options;
    if (clock.monotonic() - this.#trimmedAtMs < trimEveryMs) return;
    this.#trimmedAtMs = clock.monotonic();
    for (const writer of this.#writers.values()) writer.trim(clock.now() - retentionMs);
  }

  #isTold(change: ChangeId): boolean {
    if (this.#told.has(change)) return true;
    this.#told.add(change);
    const [oldest] = this.#told;
    if (this.#told.size > toldMax && oldest !== undefined) this.#told.delete(oldest);
    return false;
  }
}
