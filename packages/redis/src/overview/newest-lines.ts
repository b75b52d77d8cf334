import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { FoldedChanges } from "@fleet-reloader/engine/overview/changes/change-summary";
import { byShardPlace, isBefore, type StreamPlace } from "../history/stream-entry.ts";
import { KeptChanges } from "./kept-changes.ts";
import type { PlacedRecord } from "./placed-record.ts";

/** Of all lines that are kept, what came of so many that are gone is kept, too, for a while. */
const goneShareMax = 0.25;

/** At most so much is kept. */
export interface KeptMax {
  readonly records: number;
  /** Of memory. */
  readonly bytes: number;
}

/**
 * The newest records of several streams in the order of their ids, so many at most. It knows from when on it has all of them. What the streams have
 * no more it has to be told.
 */
export class NewestLines {
  readonly #max: KeptMax;
  #lines: PlacedRecord[];
  /** Of memory, about. */
  #bytes: number;
  /** Nothing is missing from here on. Undefined: nothing is missing. */
  #from: StreamPlace | undefined;
  /** Of these lines and of some that are gone, made with the first question. Undefined: to be made anew. */
  #changes: KeptChanges | undefined;
  /** How many lines are gone since then. */
  #gone = 0;

  /** `from`: where the given records begin to be all that there are; undefined: they are all. */
  constructor(max: KeptMax, records: readonly PlacedRecord[], from?: StreamPlace) {
    this.#max = max;
    this.#from = from;
    this.#lines = records.filter((one) => from === undefined || !isBefore(one, from)).toSorted(byShardPlace);
    this.#bytes = bytesOf(this.#lines);
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
    for (const { record } of this.#placedSince(ms)) yield record;
  }

  /** How many there are from a time on. */
  countSince(ms: number): number {
    return this.#lines.length - this.#firstFrom(ms);
  }

  /** The changes from a time on, until the next change of these lines. */
  changesSince(ms: number): FoldedChanges {
    this.#changes ??= this.#foldAll();
    return this.#changes.since(ms, this.#placedSince(ms));
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
    this.#bytes += bytesOf(added);
    if (!sorted.every((one) => this.#changes?.add(one) ?? true)) this.#changes = undefined;
    this.#bound();
  }

  /** A stream begins here now: what it had before was removed from it. */
  trim(shard: number, first: StreamPlace): void {
    const end = this.#lines.findIndex((one) => !isBefore(one, first));
    const before = end < 0 ? this.#lines.length : end;
    const kept = this.#lines.slice(0, before).filter((one) => one.shard !== shard);
    if (kept.length === before) return;
    this.#lines.splice(0, before, ...kept);
    this.#bytes = bytesOf(this.#lines);
    this.#changes = undefined;
  }

  /** A stream is another one now. */
  forget(shard: number): void {
    this.#lines = this.#lines.filter((one) => one.shard !== shard);
    this.#bytes = bytesOf(this.#lines);
    this.#changes = undefined;
  }

  #bound(): void {
    let over = 0;
    // One is kept whatever it takes: it says where the lines begin.
    for (; over < this.#lines.length - 1; over += 1) {
      const isWithin = this.#lines.length - over <= this.#max.records && this.#bytes <= this.#max.bytes;
      if (isWithin) break;
      this.#bytes -= this.#lines[over]?.bytes ?? 0;
    }
    if (over === 0) return;
    this.#lines.splice(0, over);
    const [first] = this.#lines;
    if (first !== undefined) this.#from = { ms: first.ms, number: first.number };
    this.#gone += over;
    // What came of lines that are gone is given back now and then. No question is about it.
    if (this.#gone > this.#lines.length * goneShareMax) this.#changes = undefined;
  }

  #foldAll(): KeptChanges {
    const changes = new KeptChanges();
    for (const line of this.#lines) changes.add(line);
    this.#gone = 0;
    return changes;
  }

  *#placedSince(ms: number): Generator<PlacedRecord> {
    for (let at = this.#firstFrom(ms); at < this.#lines.length; at += 1) {
      const line = this.#lines[at];
      if (line !== undefined) yield line;
    }
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

/** How much memory these take. */
export function bytesOf(records: readonly PlacedRecord[]): number {
  return records.reduce((sum, { bytes }) => sum + bytes, 0);
}
