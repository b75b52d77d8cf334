import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { byShardPlace, isBefore, type ShardPlace, type StreamPlace } from "../history/stream-entry.ts";

/** A record, and where it lies. */
export interface PlacedRecord extends ShardPlace {
  readonly record: HistoryRecord;
}

/**
 * The newest records of several streams in the order of their ids, so many at most. It knows from when on it has all of them. What the streams have
 * no more it has to be told.
 */
export class NewestLines {
  readonly #max: number;
  #lines: PlacedRecord[];
  /** Nothing is missing from here on. Undefined: nothing is missing. */
  #from: StreamPlace | undefined;

  /** `from`: where the given records begin to be all that there are; undefined: they are all. */
  constructor(max: number, records: readonly PlacedRecord[], from?: StreamPlace) {
    this.#max = max;
    this.#from = from;
    this.#lines = records.filter((one) => from === undefined || !isBefore(one, from)).toSorted(byShardPlace);
    this.#bound();
  }

  /** From here on nothing is missing; undefined: nothing is missing at all. */
  get from(): StreamPlace | undefined {
    return this.#from;
  }

  get count(): number {
    return this.#lines.length;
  }

  /** All records from a time on are here. Of the millisecond in which they begin some may be missing. */
  covers(ms: number): boolean {
    return this.#from === undefined || ms > this.#from.ms;
  }

  /** From a time on, oldest first. */
  *since(ms: number): Generator<HistoryRecord> {
    for (let at = this.#firstFrom(ms); at < this.#lines.length; at += 1) {
      const line = this.#lines[at];
      if (line !== undefined) yield line.record;
    }
  }

  /** Adds what came, in any order: a stream may be read later than another that has newer records. */
  add(records: readonly PlacedRecord[]): void {
    const added = records.filter((one) => this.#from === undefined || !isBefore(one, this.#from));
    if (added.length === 0) return;
    const sorted = added.toSorted(byShardPlace);
    const [first] = sorted;
    const end = this.#lines.findLastIndex((one) => first !== undefined && byShardPlace(one, first) < 0) + 1;
    const behind = this.#lines.splice(end);
    const ordered = behind.length === 0 ? sorted : [...behind, ...sorted].sort(byShardPlace);
    for (const one of ordered) this.#lines.push(one);
    this.#bound();
  }

  /** A stream begins here now: what it had before was removed from it. */
  trim(shard: number, first: StreamPlace): void {
    const end = this.#lines.findIndex((one) => !isBefore(one, first));
    const before = end < 0 ? this.#lines.length : end;
    const kept = this.#lines.slice(0, before).filter((one) => one.shard !== shard);
    if (kept.length < before) this.#lines.splice(0, before, ...kept);
  }

  /** A stream is another one now. */
  forget(shard: number): void {
    this.#lines = this.#lines.filter((one) => one.shard !== shard);
  }

  #bound(): void {
    const over = this.#lines.length - this.#max;
    if (over <= 0) return;
    this.#lines.splice(0, over);
    const [first] = this.#lines;
    if (first !== undefined) this.#from = { ms: first.ms, number: first.number };
  }

  #firstFrom(ms: number): number {
    let [low, high] = [0, this.#lines.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lines[middle]?.ms ?? ms) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
