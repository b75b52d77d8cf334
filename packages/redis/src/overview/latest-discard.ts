import type { DiscardedRoll } from "@fleet-reloader/engine/ask/explanation";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { HistoryReader } from "../history/history-reader.ts";

/** More records of one workload are not kept: one rolls some times a day, and the history holds a week. */
const rollsReadMax = 10_000;

/** Who discarded the last roll of a workload, and why; undefined: nobody did, or it was rolled again since. Reads one stream. */
export async function latestDiscard(
  { cluster, workload }: Request,
  reader: Pick<HistoryReader, "read">,
  signal?: AbortSignal,
): Promise<DiscardedRoll | undefined> {
  const { kind, namespace, name } = workload;
  let latest: DiscardedRoll | undefined;
  const query = { since: { ms: 0 }, limit: rollsReadMax, clusterId: cluster, namespace, name };
  for await (const { record } of reader.read(query, signal)) {
    if (record.type !== "action" && record.type !== "outcome") continue;
    if (record.workload.kind !== kind || record.workload.name !== name) continue;
    const isDiscard = record.type === "action" && record.action === "discarded";
    latest = isDiscard ? { by: record.by ?? "", reason: record.why ?? "", time: record.time } : undefined;
  }
  return latest;
}
