import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { HistoryRecord } from "../../history/history.ts";

/**
 * The records that a workload or a source of this name is about, from records in the order of their times. Among them are the ends of what began for
 * it: such a record may name other sources, or none. All changes are among them: they date the writes that a workload of this name was rolled for.
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

/** A rollout ends for all that it was begun for, and a decision not to roll is about all sources. */
function isEndOf(begun: "held" | "rolled" | undefined, record: RecordOfObject): boolean {
  if (record.type === "outcome") return begun === "rolled";
  return begun !== undefined && record.type === "decision" && record.verdict === "no";
}

/** What a record makes of its workload; undefined: it says what comes next. */
function standOf(record: RecordOfObject): "held" | "rolled" | "over" | undefined {
  if (record.type === "outcome") return "over";
  if (record.type === "action") return record.action === "rolled" ? "rolled" : "over";
  if (record.verdict === "roll") return undefined;
  return record.verdict === "held" ? "held" : "over";
}
