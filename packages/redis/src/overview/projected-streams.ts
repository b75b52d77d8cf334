import type { RedisClient } from "../connection/client.ts";
import type { Keys } from "../connection/keys.ts";
import { isBefore, pageSize, readPlace, type StreamPlace, streamPages } from "../history/stream-entry.ts";
import { noStream, type StreamExtent, streamExtent } from "../history/stream-extent.ts";
import { bytesOf, type KeptMax, NewestLines } from "./newest-lines.ts";
import { type PlacedRecord, placedRecords } from "./placed-record.ts";

export interface ProjectedStreamsOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  /** Limits of the newest records to keep. */
  readonly max: KeptMax;
}

/** The newest records of all streams of the history, and how far each stream has been read. Calls must not overlap. */
export class ProjectedStreams {
  readonly #options: ProjectedStreamsOptions;
  readonly #extents: StreamExtent[];
  readonly lines: NewestLines;

  private constructor(options: ProjectedStreamsOptions, extents: StreamExtent[], lines: NewestLines) {
    this.#options = options;
    this.#extents = extents;
    this.lines = lines;
  }

  /** Reads the newest records, from the end of the streams. */
  static async load(options: ProjectedStreamsOptions): Promise<ProjectedStreams> {
    const { client, keys, max } = options;
    const extents = await Promise.all(keys.histories.map((stream) => streamExtent(stream, client)));
    const records: PlacedRecord[] = [];
    const starts = extents.map(({ lastId }) => (lastId === "" ? undefined : readPlace(lastId)));
    const isBegun = new Set<number>();
    for (let from = newestPlaceOf(starts); ; from = newestPlaceOf(starts)) {
      if (from === undefined || hasEnough(records, from, max))
        return new ProjectedStreams(options, extents, new NewestLines(max, records, from));
      // The stream whose read part goes back least far.
      const shard = starts.indexOf(from);
      const end = `${isBegun.has(shard) ? "(" : ""}${from.ms}-${from.number}`;
      isBegun.add(shard);
      const page = await client.connection.xrevrange(
        keys.histories[shard] ?? "",
        end,
        "-",
        "COUNT",
        pageSize,
      );
      for (const record of placedRecords(page, shard)) records.push(record);
      const last = page.at(-1)?.[0];
      starts[shard] = last === undefined || page.length < pageSize ? undefined : readPlace(last);
    }
  }

  /**
   * Adds new records, and removes those that the streams no longer have. False: more were added than are kept, so the newest have to be loaded
   * again.
   */
  async refresh(): Promise<boolean> {
    const { client, keys, max } = this.#options;
    const extents = await Promise.all(keys.histories.map((stream) => streamExtent(stream, client)));
    const came = extents.map(({ added }, shard) => added - (this.#extents[shard] ?? noStream).added);
    if (came.reduce((sum, count) => sum + Math.max(0, count), 0) > max.records) return false;
    const followed = await Promise.allSettled(extents.map((now, shard) => this.#follow(shard, now)));
    // Wait for all first: the next call must not begin while a stream is still being read.
    for (const one of followed) if (one.status === "rejected") throw one.reason;
    return true;
  }

  async #follow(shard: number, now: StreamExtent): Promise<void> {
    const before = this.#extents[shard] ?? noStream;
    const stream = this.#options.keys.histories[shard] ?? "";
    if (now.added !== before.added || !isContinued(before, now)) await this.#read(stream, shard, before, now);
    // Keeps exactly what the stream has: streams remove their oldest records.
    if (now.firstId === "") this.lines.forget(shard);
    else if (now.firstId !== before.firstId) this.lines.trim(shard, readPlace(now.firstId));
    this.#extents[shard] = now;
  }

  async #read(stream: string, shard: number, before: StreamExtent, now: StreamExtent): Promise<void> {
    if (isContinued(before, now)) {
      const { count, records } = await this.#range(stream, shard, `(${before.lastId}`, now.lastId);
      if (count === now.added - before.added) return this.lines.add(records);
    }
    // The stream is new, Redis lost it, or records were removed before they were read.
    const { from } = this.lines;
    const start = from === undefined ? "-" : `${from.ms}-${from.number}`;
    const { records } = await this.#range(stream, shard, start, now.lastId);
    this.lines.forget(shard);
    this.lines.add(records);
  }

  async #range(stream: string, shard: number, start: string, end: string) {
    const records: PlacedRecord[] = [];
    let count = 0;
    if (end === "") return { count, records };
    for await (const page of streamPages(this.#options.client, stream, { start, end })) {
      count += page.length;
      for (const record of placedRecords(page, shard)) records.push(record);
    }
    return { count, records };
  }
}

/** Whether the complete part has enough records. */
function hasEnough(records: readonly PlacedRecord[], from: StreamPlace, max: KeptMax): boolean {
  const isMost = (its: readonly PlacedRecord[]) => its.length >= max.records || bytesOf(its) >= max.bytes;
  return isMost(records) && isMost(records.filter((one) => !isBefore(one, from)));
}

/** Whether a stream may be the same as before: new records follow its old ones, and only its oldest are removed. */
function isContinued(before: StreamExtent, now: StreamExtent): boolean {
  const isLater = (a: string, b: string) =>
    a === b || (a !== "" && b !== "" && isBefore(readPlace(a), readPlace(b)));
  return (
    now.added >= before.added &&
    isLater(before.lastId, now.lastId) &&
    (now.firstId === "" || before.firstId === "" || isLater(before.firstId, now.firstId))
  );
}

/** Returns an object of the list itself, so that `indexOf` finds it. */
function newestPlaceOf(places: readonly (StreamPlace | undefined)[]): StreamPlace | undefined {
  return places.reduce((best, one) => {
    if (one === undefined || best === undefined) return best ?? one;
    return isBefore(best, one) ? one : best;
  }, undefined);
}
