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
  /** Of more records the oldest are removed. Undefined: none are removed here; the process that writes most of them does it. */
  readonly lengthMax: number | undefined;
  /** What waits while Redis is away; what is more is dropped, and counted. */
  readonly waitingMax: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Pick<Meter, "historyKept">;
}

/** One round trip for records that come together, and soon enough for readers. */
const historyGatherMs = 200;
const batchMax = 500;

/** KEYS: a stream. ARGV: how many it may hold, or nothing, and the records. */
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

/** Writes records into one stream, one field `record` in each entry. Nobody waits for it. */
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

  /** Records from before this wall time go, and those that are too many. Ahead of what is appended from now on, and waited for by nobody. */
  trim(oldestMs: number): void {
    // While Redis is away the first waits for it.
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

  /** What waits is written without waiting for more. */
  async finish(): Promise<void> {
    await this.#drain.finish();
  }

  async #trim(oldest: string): Promise<void> {
    const { client, lengthMax } = this.#options;
    // Exactly: in a quiet shard all that there is lies in one node, which would stay as a whole.
    await client.connection.xtrim(this.#stream, "MINID", oldest);
    // A Redis without memory refuses to append, and what would go then stays.
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
