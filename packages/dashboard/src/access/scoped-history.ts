import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import type { ChangesReader } from "@fleet-reloader/redis/overview/recent-records";
import type { Viewer } from "./granted-caller.ts";

type ReadHistory = Pick<HistoryReader, "read">;

/** The records of a history that a viewer sees. */
export function scopeHistory(reader: ReadHistory, viewer: Viewer): ReadHistory {
  if (viewer.seesAll) return reader;
  return {
    async *read(query, signal) {
      let left = query.limit;
      // The limit counts what is seen.
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

/** The same of records that are read all at once. */
export function scopeRecords(reader: ChangesReader, viewer: Viewer): ChangesReader {
  if (viewer.seesAll) return reader;
  const isSeen = (record: HistoryRecord) => seesRecord(record, viewer);
  return { records: async (query, signal) => await reader.records(query, signal, isSeen) };
}

/** What operators did may be about everything, in words of their own. */
function seesRecord(record: HistoryRecord, viewer: Viewer): boolean {
  if (record.type === "operator") return viewer.seesAll;
  const { namespace } = record.type === "change" ? record.source : record.workload;
  // Not a name: no grant but one on all clusters is about it.
  return viewer.may("viewer", { cluster: record.cluster?.name ?? "", namespace });
}
