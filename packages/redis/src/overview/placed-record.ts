import { parseHistoryRecord } from "@fleet-reloader/contracts/history-record";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { readPlace, recordText, type ShardPlace, type StreamPage } from "../history/stream-entry.ts";

/** A record, and where it lies. */
export interface PlacedRecord extends ShardPlace {
  readonly record: HistoryRecord;
}

/** The records of a page of a stream. */
export function placedRecords(page: StreamPage, shard: number): readonly PlacedRecord[] {
  return page.flatMap(([id, fields]) => {
    const record = parseHistoryRecord(recordText(fields));
    // Written by a later version, which knows its meaning.
    return record === undefined ? [] : [{ ...readPlace(id), shard, record }];
  });
}
