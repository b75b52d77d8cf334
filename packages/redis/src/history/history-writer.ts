import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { Drain } from "@fleet-reloader/engine/async/drain";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { RedisClient } from "../connection/client.ts";
import { Script } from "../connection/script.ts";

export interface HistoryWriterOptions {
  readonly client: RedisClient;
  /** Maximum of records; the oldest are removed. Undefined: this process removes none; the one that writes most of them does. */
  readonly lengthMax: number | undefined;
  /** Maximum of records that wait while Redis is away; further ones are dropped and counted. */
  readonly waitingMax: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Pick<Meter, "historyKept">;
}

/** Gathers records into one round trip, and is soon enough for readers. */
const historyGatherMs = 200;
const batchMax = 500;

/** KEYS: a stream. ARGV: its maximum length, or nothing, then the records. */
const appendScript = new Script(`
for i = 2, #ARGV do
  if ARGV[1] == '' then
    redis.call('XADD', KEYS[1], '*', 'record', ARGV[i])
  else
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'record', ARGV[i])
  end
end
return 0
`);

/** Writes records into one stream, one field `record` per entry. Callers do not wait for it. */
export class HistoryWriter {
  readonly #stream: string;
  readonly #options: HistoryWriterOptions;
  readonly #waiting: HistoryRecord[] = [];
  readonly #drain: Drain;
  #isTrimming = false;

  constructor(stream: string, options: HistoryWriterOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#drain = new Drain({
      hasMore: () => this.#waiting.length > 0,
      gather: (hurry) => options.clock.sleep(historyGatherMs, hurry).catch(() => undefined),
      flush: () => this.#write(),
    });
  }

  append(record: HistoryRecord): void {
    if (this.#waiting.length < this.#options.waitingMax) this.#waiting.push(record);
    else this.#options.meter.historyKept("dropped", 1);
    this.#drain.begin();
  }

  /** Removes records before this wall time, and those over the maximum. Redis runs this before later appends. Callers do not wait for it. */
  trim(oldestMs: number): void {
    // While Redis is away the first trim is still waiting.
    if (this.#isTrimming) return;
    this.#isTrimming = true;
    const { log } = this.#options;
    void this.#trim(String(Math.max(0, oldestMs)))
      .catch((error: unknown) =>
        log.debug({ err: asFault(error).message }, "the history could not be trimmed"),
      )
      .finally(() => {
        this.#isTrimming = false;
      });
  }

  /** Writes the waiting records at once. */
  async finish(): Promise<void> {
    await this.#drain.finish();
  }

  async #trim(oldest: string): Promise<void> {
    const { client, lengthMax } = this.#options;
    // Exact, without `~`: a quiet shard has all records in one node, and Redis would keep the whole node.
    await client.connection.xtrim(this.#stream, "MINID", oldest);
    // A Redis without memory refuses to append, so appending alone would not remove the oldest.
    if (lengthMax !== undefined)
      await client.connection.xtrim(this.#stream, "MAXLEN", "~", lengthMax, "LIMIT", 0);
  }

  async #write(): Promise<void> {
    const { log, meter } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchMax);
      try {
        await this.#add(batch);
        meter.historyKept("written", batch.length);
      } catch (error) {
        log.debug({ err: asFault(error).message }, "the history could not be written");
        meter.historyKept("dropped", batch.length);
      }
    }
  }

  async #add(batch: readonly HistoryRecord[]): Promise<void> {
    const { client, lengthMax } = this.#options;
    const texts = batch.map((record) => JSON.stringify(record));
    await appendScript.run(client.connection, this.#stream, [String(lengthMax ?? ""), ...texts]);
  }
}
