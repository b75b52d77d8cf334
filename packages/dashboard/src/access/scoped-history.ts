import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import type { ChangesReader } from "@fleet-reloader/redis/overview/recent-records";
import type { Viewer } from "./granted-caller.ts";

type ReadHistory = Pick<HistoryReader, "read">;

/** The records of a history that a viewer may see. */
export function scopeHistory(reader: ReadHistory, viewer: Viewer): ReadHistory {
  if (viewer.seesAll) return reader;
  return {
    async *read(query, signal) {
      let left = query.limit;
      // The limit counts only records that the viewer sees.
      const unlimited = { ...query, limit: Number.MAX_SAFE_INTEGER };
      for await (const line of reader.read(unlimited, signal)) {
        if (!seesRecord(line.record, viewer)) continue;
        if (left === 0) return;
        left -= 1;
        yield line;
      }
    },
  };
}

/** The same for records that are read all at once. */
export function scopeRecords(reader: ChangesReader, viewer: Viewer): ChangesReader {
  if (viewer.seesAll) return reader;
  const isSeen = (record: HistoryRecord) => seesRecord(record, viewer);
  return { records: async (query, signal) => await reader.records(query, signal, isSeen) };
}

/** A record of an operator's act may be about anything and contains the operator's own words. */
function seesRecord(record: HistoryRecord, viewer: Viewer): boolean {
  if (record.type === "operator") return viewer.seesAll;
  const { namespace } = record.type === "change" ? record.source : record.workload;
  // The empty text is no cluster's name: only a grant on all clusters matches it.
  return viewer.may("viewer", { cluster: record.cluster?.name ?? "", namespace });
}
