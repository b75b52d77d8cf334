import { getHeapStatistics } from "node:v8";
import type { HistoryQuery } from "@fleet-reloader/contracts/history-query";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { Semaphore } from "@fleet-reloader/engine/async/semaphore";
import { SingleFlight } from "@fleet-reloader/engine/async/single-flight";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { ChangeFolds } from "@fleet-reloader/engine/overview/changes/change-folds";
import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import type { HistoryReader, SeesRecord } from "../history/history-reader.ts";
import { wantedRecords } from "../history/wanted-records.ts";
import type { KeptMax, NewestLines } from "./newest-lines.ts";
import { ProjectedStreams } from "./projected-streams.ts";
import type { ChangesReader, CountedChanges } from "./recent-records.ts";

export interface HistoryProjectionOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** Answers queries that go back further than the projection. */
  readonly reader: Pick<HistoryReader, "read" | "records">;
  readonly clock: Clock;
  /** Limits of the newest records to keep. */
  readonly max?: Partial<KeptMax>;
}

/** The maximum that one query reads. */
const recordsKeptMax = 100_000;
/** Share of this process' heap limit. The rest is for answers, and in standalone for watching and working. */
const heapShareMax = 0.4;
/** After this long without a query the memory is released. */
const projectionIdleMs = 600_000;

/**
 * The newest records of the history in memory, so that a query reads only what was added since the last one. It is loaded by the first query, and
 * dropped after ten minutes without one. Each answer contains everything that was written before the query.
 */
export class HistoryProjection implements ChangesReader {
  readonly #options: HistoryProjectionOptions;
  readonly #refreshes = new SingleFlight<NewestLines>();
  readonly #readings: Semaphore;
  #streams: ProjectedStreams | undefined;
  #idle = new AbortController();

  constructor(options: HistoryProjectionOptions) {
    this.#options = options;
    this.#readings = new Semaphore({ atOnce: 1, clock: options.clock });
  }

  /** How many records are kept. */
  get count(): number {
    return this.#streams?.lines.count ?? 0;
  }

  /** The records that the reader has for a query, plus those of the current millisecond. */
  async records(
    query: HistoryQuery,
    signal?: AbortSignal,
    isSeen: SeesRecord = () => true,
  ): Promise<readonly HistoryRecord[]> {
    const known = await this.#linesSince(query, signal);
    if (known === undefined)
      return await this.#inTurn(signal, () => this.#options.reader.records(query, signal, isSeen));
    const records: HistoryRecord[] = [];
    const { client, keys } = this.#options;
    const isWanted = await wantedRecords(query, { client, keys }, signal);
    for (const record of known.lines.since(known.ms)) {
      if (records.length >= query.limit) break;
      if (isWanted(record) && isSeen(record)) records.push(record);
    }
    return records;
  }

  /** The changes of all records that the reader has for a query without a filter. */
  async changesSince(query: HistoryQuery, signal?: AbortSignal): Promise<CountedChanges> {
    const known = await this.#linesSince(query, signal);
    const count = known?.lines.countSince(known.ms) ?? Number.POSITIVE_INFINITY;
    if (known === undefined || count > query.limit)
      return await this.#inTurn(signal, () => this.#foldRead(query, signal));
    return { changes: known.lines.changesSince(known.ms), count };
  }

  /** Releases the memory. */
  close(): void {
    this.#idle.abort();
    this.#streams = undefined;
  }

  /** The lines, with the first requested millisecond; undefined: the lines do not go back that far. */
  async #linesSince({ since }: HistoryQuery, signal?: AbortSignal) {
    if (!("ms" in since)) return undefined;
    const lines = await this.#refreshes.read("", () => this.#refresh());
    signal?.throwIfAborted();
    const ms = Math.max(0, Math.floor(since.ms));
    return lines.covers(ms) ? { lines, ms } : undefined;
  }

  /** Folds records while it reads them, so that a hundred thousand of them are not in memory at once. */
  async #foldRead(query: HistoryQuery, signal?: AbortSignal): Promise<CountedChanges> {
    const changes = new ChangeFolds();
    let count = 0;
    for await (const { record } of this.#options.reader.read(query, signal)) {
      changes.add(record);
      count += 1;
    }
    return { changes, count };
  }

  /** One at a time: two long histories at once may exceed the memory of this process. */
  async #inTurn<T>(signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> {
    return await this.#readings.during(signal ?? new AbortController().signal, read);
  }

  async #refresh(): Promise<NewestLines> {
    this.#keep();
    const { lines } = this.#streams ?? {};
    if (lines !== undefined && (await this.#streams?.refresh())) return lines;
    // Drops the old lines before it loads the new ones: both together may need too much memory.
    this.#streams = undefined;
    const { client, keys, max } = this.#options;
    const most = {
      records: recordsKeptMax,
      bytes: getHeapStatistics().heap_size_limit * heapShareMax,
      ...max,
    };
    this.#streams = await ProjectedStreams.load({ client, keys, max: most });
    return this.#streams.lines;
  }

  /** Restarts the idle time. */
  #keep(): void {
    this.#idle.abort();
    this.#idle = new AbortController();
    this.#options.clock.sleep(projectionIdleMs, this.#idle.signal).then(
      () => this.close(),
      () => undefined,
    );
  }
}
