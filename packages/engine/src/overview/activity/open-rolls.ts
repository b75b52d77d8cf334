import type { HistoryRecord } from "../../history/history.ts";

/** Keeps since when each workload is on hold or rolling, in milliseconds; other workloads are left out. */
export function openAfter(
  open: Map<string, number>,
  workload: string,
  record: Exclude<HistoryRecord, { readonly type: "operator" | "change" }>,
): void {
  if (isOpening(record)) {
    if (!open.has(workload)) open.set(workload, Date.parse(record.time));
  } else if (record.type !== "decision" || record.verdict === "no") open.delete(workload);
}

function isOpening(record: HistoryRecord): boolean {
  if (record.type === "decision") return record.verdict === "held";
  return record.type === "action" && record.action === "rolled";
}
