import { historyFilter } from "@fleet-reloader/contracts/history-filter";
import type { HistoryQuery } from "@fleet-reloader/contracts/history-query";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { SingleFlight } from "@fleet-reloader/engine/async/single-flight";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import type { HistoryReader, SeesRecord } from "../history/history-reader.ts";
import type { NewestLines } from "./newest-lines.ts";
import { ProjectedStreams } from "./projected-streams.ts";

export interface HistoryProjectionOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** Answers what goes back further than the projection. */
  readonly reader: Pick<HistoryReader, "records">;
  readonly clock: Pick<Clock, "sleep">;
  /** So many of the newest records are kept. */
  readonly recordsMax?: number;
}

/** Some hundred MiB. */
const recordsMaxStandard = 100_000;
/** Nobody has looked for so long: the memory is given back. */
const projectionIdleMs = 600_000;

/**
 * The newest records of the history in memory, so that a question reads what came since the last one, and no more. It is made with the first question, and
 * dropped when nobody has asked for ten minutes. Each answer has everything that was written before the question.
 */
export class HistoryProjection {
  readonly #options: HistoryProjectionOptions;
  readonly #refreshes = new SingleFlight<NewestLines>();
  #streams: ProjectedStreams | undefined;
  #idle = new AbortController();

  constructor(options: HistoryProjectionOptions) {
    this.#options = options;
  }

  /** How many records are kept. */
  get count(): number {
    return this.#streams?.lines.count ?? 0;
  }

  /** The records that the reader has for a query, and those of this very millisecond. */
  async records(
    query: HistoryQuery,
    signal?: AbortSignal,
    isSeen: SeesRecord = () => true,
  ): Promise<readonly HistoryRecord[]> {
    const { reader } = this.#options;
    const { limit, since } = query;
    if (!("ms" in since)) return await reader.records(query, signal, isSeen);
    const lines = await this.#refreshes.read("", () => this.#refresh());
    signal?.throwIfAborted();
    const ms = Math.max(0, Math.floor(since.ms));
    if (!lines.covers(ms)) return await reader.records(query, signal, isSeen);
    const records: HistoryRecord[] = [];
    const isWanted = historyFilter(query);
    for (const record of lines.since(ms)) {
      if (records.length >= limit) break;
      if (isWanted(record) && isSeen(record)) records.push(record);
    }
    return records;
  }

  /** Gives the memory back. */
  close(): void {
    this.#idle.abort();
    this.#streams = undefined;
  }

  async #refresh(): Promise<NewestLines> {
    this.#keep();
    if (this.#streams === undefined) {
      const { client, keys, recordsMax = recordsMaxStandard } = this.#options;
      this.#streams = await ProjectedStreams.load({ client, keys, recordsMax });
      return this.#streams.lines;
    }
    const { lines } = this.#streams;
    await this.#streams.refresh();
    return lines;
  }

  /** From now on for another while. */
  #keep(): void {
    this.#idle.abort();
    this.#idle = new AbortController();
    this.#options.clock.sleep(projectionIdleMs, this.#idle.signal).then(
      () => this.close(),
      () => undefined,
    );
  }
}
