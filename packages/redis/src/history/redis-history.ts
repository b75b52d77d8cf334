import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { ChangeId, ChangeRecord, History, HistoryRecord } from "@fleet-reloader/engine/history/history";
import { LRUCache } from "lru-cache";
import type { Keys } from "../connection/keys.ts";
import { HistoryWriter, type HistoryWriterOptions } from "./history-writer.ts";

export interface RedisHistoryOptions extends Omit<HistoryWriterOptions, "waitingMax"> {
  readonly keys: Keys;
  /** Records older than this are removed at the start, and when others are written. */
  readonly retentionMs: number;
}

/** In all shards together: some megabytes. */
const recordsMax = 10_000;
/** Enough for the records of a storm in one cluster, whatever the number of shards. */
const waitingInShardLeast = 1000;
/** While records are written, each old one is removed within a minute after its time, also in shards without writes. */
const trimEveryMs = 60_000;
/** Changes that this process has recorded. The workloads of one source are reconciled within moments. */
const recordedMax = 5000;

/** The history as one Redis stream per shard. Each is written independently: a node of a Redis Cluster that is away does not delay the others. */
export class RedisHistory implements History {
  readonly #options: RedisHistoryOptions;
  /** The writer of each shard's stream. */
  readonly #writers: ReadonlyMap<string, HistoryWriter>;
  /** The number of users that the records of a change name. */
  readonly #recorded = new LRUCache<ChangeId, number>({ max: recordedMax });
  #trimmedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: RedisHistoryOptions) {
    this.#options = options;
    const { keys, client, lengthMax, clock, log, meter } = options;
    const waitingMax = Math.max(waitingInShardLeast, Math.floor(recordsMax / keys.shards));
    const written = { client, lengthMax, waitingMax, clock, log, meter };
    this.#writers = new Map(keys.histories.map((stream) => [stream, new HistoryWriter(stream, written)]));
  }

  append(records: readonly HistoryRecord[]): void {
    if (records.length > 0) this.trim();
    for (const record of records) {
      if (record.type === "change" && this.#isRecorded(record)) continue;
      this.#writers.get(this.#options.keys.history(record.cluster?.id))?.append(record);
    }
  }

  /** Removes records that are too old or too many, at most once a minute. Returns at once. */
  trim(): void {
    const { clock, retentionMs } = this.#options;
    if (clock.monotonic() - this.#trimmedAtMs < trimEveryMs) return;
    this.#trimmedAtMs = clock.monotonic();
    for (const writer of this.#writers.values()) writer.trim(clock.now() - retentionMs);
  }

  /** Writes the waiting records, for at most this time. */
  async stop(graceMs: number): Promise<void> {
    const finished = Promise.all([...this.#writers.values()].map((writer) => writer.finish()));
    await atMost(graceMs, this.#options.clock, finished);
  }

  /** A record that names more users adds information. */
  #isRecorded({ actor, change }: ChangeRecord): boolean {
    const named = actor?.users?.length ?? 0;
    const before = this.#recorded.get(change);
    if (before !== undefined && named <= before) return true;
    this.#recorded.set(change, named);
    return false;
  }
}
