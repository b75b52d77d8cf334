import { parseHistoryRecord } from "@fleet-reloader/contracts/history-record";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { readPlace, recordText, type ShardPlace, type StreamPage } from "../history/stream-entry.ts";

/** A record and its place. */
export interface PlacedRecord extends ShardPlace {
  readonly record: HistoryRecord;
  /** Approximate memory of the record and its fold. */
  readonly bytes: number;
}

/**
 * Bytes besides the text of a record: its objects and its share of the fold. Measured with 100,000 records: B21 has 962 bytes each at 396
 * characters, 1,966 where each rollout has a message of 4,000, and 1,609 at 407 characters where all are changes.
 */
const bytesBeside = { change: 1200, other: 400 } as const;

/** The records of a page of a stream. */
export function placedRecords(page: StreamPage, shard: number): readonly PlacedRecord[] {
  return page.flatMap(([id, fields]) => {
    const text = recordText(fields);
    const record = parseHistoryRecord(text);
    // A later version wrote it and knows its meaning.
    if (record === undefined) return [];
    const bytes = text.length + bytesBeside[record.type === "change" ? "change" : "other"];
    return [{ ...readPlace(id), shard, record, bytes }];
  });
}
