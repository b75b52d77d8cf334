import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { HistoryRecord } from "../../history/history.ts";

/**
 * Selects the records about a workload or source of this name. The records come in the order of their times. The ends of what began for
 * the name are included: such a record may name other sources, or none. All changes are included, because they date the writes that a
 * workload of this name was rolled for.
 */
export function* activityOfName(records: Iterable<HistoryRecord>, name: string): Generator<HistoryRecord> {
  /** By workload, whether it is on hold or rolls for the name. */
  const open = new Map<string, "held" | "rolled">();
  for (const record of records) {
    if (record.type === "operator") continue;
    if (record.type === "change") {
      yield record;
      continue;
    }
    const key = `${record.cluster?.id}|${workloadKey(record.workload)}`;
    if (!isOfName(record, name) && !isEndOf(open.get(key), record)) continue;
    const next = standOf(record);
    if (next === "over") open.delete(key);
    else if (next !== undefined) open.set(key, next);
    yield record;
  }
}

type RecordOfObject = Exclude<HistoryRecord, { readonly type: "operator" | "change" }>;

function isOfName({ sources, workload }: RecordOfObject, name: string): boolean {
  return workload.name === name || sources.some((source) => source.name === name);
}

/** The end of a rollout ends it for all its changes, and a decision not to roll is about all sources. */
function isEndOf(begun: "held" | "rolled" | undefined, record: RecordOfObject): boolean {
  if (record.type === "outcome") return begun === "rolled";
  return begun !== undefined && record.type === "decision" && record.verdict === "no";
}

/** The state of a workload after a record; undefined: the next record shows it. */
function standOf(record: RecordOfObject): "held" | "rolled" | "over" | undefined {
  if (record.type === "outcome") return "over";
  if (record.type === "action") return record.action === "rolled" ? "rolled" : "over";
  if (record.verdict === "roll") return undefined;
  return record.verdict === "held" ? "held" : "over";
}
