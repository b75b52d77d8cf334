import type { HistoryRecord } from "@fleet-reloader/engine/history/history";

/** Which records of the history are wanted; what is absent does not matter. */
export interface HistoryFilter {
  /** Its id, or what people call it. */
  readonly cluster?: string;
  readonly namespace?: string;
  /** Of the workload, or of a source that it is about. */
  readonly name?: string;
}

/** Whether a record is among those that are wanted. */
export function isWanted(record: HistoryRecord, filter: HistoryFilter): boolean {
  const { cluster } = record;
  if (filter.cluster !== undefined && filter.cluster !== cluster?.id && filter.cluster !== cluster?.name)
    return false;
  const about = objectsOf(record);
  const { namespace, name } = filter;
  if (namespace === undefined && name === undefined) return true;
  return about.some(
    (one) => one.namespace === (namespace ?? one.namespace) && one.name === (name ?? one.name),
  );
}

function objectsOf(record: HistoryRecord): readonly { readonly namespace: string; readonly name: string }[] {
  switch (record.type) {
    case "change":
      return [record.source];
    case "operator":
      return [];
    default:
      return [record.workload, ...record.sources];
  }
}
