import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/clock";
import type { ChangeId, History, HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { Log } from "@fleet-reloader/engine/log";
import type { Meter } from "@fleet-reloader/engine/meter";
import type { RedisClient } from "./client.ts";
import type { Keys } from "./keys.ts";
import { Script } from "./script.ts";

export interface RedisHistoryOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** Records older than this go when others are written. */
  readonly retentionMs: number;
  /** Of more records in one shard the oldest go. */
  readonly lengthMax: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Pick<Meter, "historyKept">;
}

/** One round trip for what comes together, and soon enough for whoever looks. */
const gatherMs = 200;
const batchMax = 500;
/** What waits while Redis is away: some megabytes. More is dropped, and counted. */
const waitingMax = 10_000;
/** While records are written, old ones go within a minute of their time. */
const trimEveryMs = 60_000;
/** Changes this process has told: the workloads of one source are looked at within moments. */
const toldMax = 5000;

/** KEYS: a stream. ARGV: how many it may hold, and the records. */
const appendScript = new Script(`
for i = 2, #ARGV do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'record', ARGV[i])
end
return 0
`);

/** The history as a Redis stream for each shard, one field `record` in each entry. Nobody waits for it. */
export class RedisHistory implements History {
  readonly #options: RedisHistoryOptions;
  readonly #told = new Set<ChangeId>();
  readonly #hurry = new AbortController();
  #waiting: HistoryRecord[] = [];
  #writing: Promise<void> | undefined;
  #trimmedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: RedisHistoryOptions) {
    this.#options = options;
  }

  append(records: readonly HistoryRecord[]): void {
    for (const record of records) {
      if (record.type === "change" && this.#isTold(record.change)) continue;
      if (this.#waiting.length < waitingMax) this.#waiting.push(record);
      else this.#options.meter.historyKept("dropped", 1);
    }
    if (this.#waiting.length > 0) this.#writing ??= this.#write();
  }

  /** What waits is written, for as long as there is time. */
  async stop(graceMs: number): Promise<void> {
    this.#hurry.abort();
    const patience = new AbortController();
    const late = this.#options.clock.sleep(graceMs, patience.signal).catch(() => undefined);
    await Promise.race([this.#writing, late]);
    patience.abort();
  }

  async #write(): Promise<void> {
    const { clock, log, meter } = this.#options;
    await clock.sleep(gatherMs, this.#hurry.signal).catch(() => undefined);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchMax);
      const written = await this.#add(batch).catch((error: unknown) => {
        log.debug({ err: asFault(error).message }, "the history could not be written");
        return 0;
      });
      if (written > 0) meter.historyKept("written", written);
      if (written < batch.length) meter.historyKept("dropped", batch.length - written);
    }
    // At once: whoever appends something from now on has to begin anew.
    this.#writing = undefined;
  }

  async #add(batch: readonly HistoryRecord[]): Promise<number> {
    const { client, keys, retentionMs, clock } = this.#options;
    if (clock.monotonic() - this.#trimmedAtMs >= trimEveryMs) {
      this.#trimmedAtMs = clock.monotonic();
      const oldest = String(Math.max(0, clock.now() - retentionMs));
      // Exactly: in a quiet shard all that there is lies in one node, which would stay as a whole.
      await Promise.all(keys.histories.map((key) => client.connection.xtrim(key, "MINID", oldest)));
    }
    const shards = Map.groupBy(batch, (record) => keys.history(record.cluster?.id));
    const written = await Promise.all([...shards].map(([key, records]) => this.#addTo(key, records)));
    return written.reduce((sum, count) => sum + count, 0);
  }

  /** One call for each shard: those of a Redis Cluster may lie on different nodes. */
  async #addTo(key: string, records: readonly HistoryRecord[]): Promise<number> {
    const { client, lengthMax } = this.#options;
    const texts = records.map((record) => JSON.stringify(record));
    await appendScript.run(client.connection, key, [String(lengthMax), ...texts]);
    return records.length;
  }

  #isTold(change: ChangeId): boolean {
    if (this.#told.has(change)) return true;
    this.#told.add(change);
    const [oldest] = this.#told;
    if (this.#told.size > toldMax && oldest !== undefined) this.#told.delete(oldest);
    return false;
  }
}
