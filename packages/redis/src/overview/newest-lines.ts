import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { FoldedChanges } from "@fleet-reloader/engine/overview/changes/change-summary";
import { byShardPlace, isBefore, type StreamPlace } from "../history/stream-entry.ts";
import { KeptChanges } from "./kept-changes.ts";
import type { PlacedRecord } from "./placed-record.ts";

/** The folded changes may still contain removed lines, up to this share of the kept lines. */
const goneShareMax = 0.25;

/** Limits of what is kept. */
export interface KeptMax {
  readonly records: number;
  /** Of memory. */
  readonly bytes: number;
}

/**
 * The newest records of several streams in the order of their ids, up to a maximum. It knows from when on it is complete. The caller reports what
 * the streams have removed.
 */
export class NewestLines {
  readonly #max: KeptMax;
  #lines: PlacedRecord[];
  /** Memory of the lines, about. */
  #bytes: number;
  /** The lines are complete from here on. Undefined: nothing is missing. */
  #from: StreamPlace | undefined;
  /** Changes of these lines and of some removed ones, folded by the first query. Undefined: they have to be folded again. */
  #changes: KeptChanges | undefined;
  /** How many lines were removed since then. */
  #gone = 0;

  /** `from`: where the given records begin to be complete; undefined: they are all. */
  constructor(max: KeptMax, records: readonly PlacedRecord[], from?: StreamPlace) {
    this.#max = max;
    this.#from = from;
    this.#lines = records.filter((one) => from === undefined || !isBefore(one, from)).toSorted(byShardPlace);
    this.#bytes = bytesOf(this.#lines);
    this.#bound();
  }

  /** The lines are complete from here on; undefined: nothing is missing. */
  get from(): StreamPlace | undefined {
    return this.#from;
  }

  get count(): number {
    return this.#lines.length;
  }

  /** Whether all records from `ms` on are here. The millisecond in which the lines begin may be incomplete. */
  covers(ms: number): boolean {
    return this.#from === undefined || ms > this.#from.ms;
  }

  /** The records from `ms` on, oldest first. */
  *since(ms: number): Generator<HistoryRecord> {
    for (const { record } of this.#placedSince(ms)) yield record;
  }

  /** The number of records from `ms` on. */
  countSince(ms: number): number {
    return this.#lines.length - this.#firstFrom(ms);
  }

  /** The changes from `ms` on. Valid until these lines change. */
  changesSince(ms: number): FoldedChanges {
    this.#changes ??= this.#foldAll();
    return this.#changes.since(ms, this.#placedSince(ms));
  }

  /** Adds new records in any order: a stream may be read later than another that has newer records. */
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

  /** Removes the lines of a stream before `first`, its oldest record now. */
  trim(shard: number, first: StreamPlace): void {
    const end = this.#lines.findIndex((one) => !isBefore(one, first));
    const before = end < 0 ? this.#lines.length : end;
    const kept = this.#lines.slice(0, before).filter((one) => one.shard !== shard);
    if (kept.length === before) return;
    this.#lines.splice(0, before, ...kept);
    this.#bytes = bytesOf(this.#lines);
    this.#changes = undefined;
  }

  /** Removes all lines of a stream. */
  forget(shard: number): void {
    this.#lines = this.#lines.filter((one) => one.shard !== shard);
    this.#bytes = bytesOf(this.#lines);
    this.#changes = undefined;
  }

  #bound(): void {
    let over = 0;
    // One line always stays: it says where the lines begin.
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
    // Folds again now and then, to release the changes of removed lines. No query needs those.
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

/** The memory of these records. */
export function bytesOf(records: readonly PlacedRecord[]): number {
  return records.reduce((sum, { bytes }) => sum + bytes, 0);
}
