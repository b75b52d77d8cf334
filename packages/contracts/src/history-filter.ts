import type { HistoryRecord } from "@fleet-reloader/engine/history/history";

/** Which records of the history are wanted; what is absent does not matter. */
export interface HistoryFilter {
  /** Its id, or what people call it. */
  readonly cluster?: string;
  /** Ids of the clusters that are called so now: their records under other names are wanted, too. */
  readonly clusterIds?: readonly string[];
  readonly namespace?: string;
  /** Of the workload, or of a source that it is about. */
  readonly name?: string;
  /** Id of a change, in one cluster or in all. */
  readonly change?: string;
  /** Ids in one cluster of the change in all, from records before those that are filtered. */
  readonly changeIds?: readonly string[];
  /** Only what operators did. */
  readonly type?: "operator";
}

interface RecordSubject {
  /** What its cluster is called: by id and name, or as somebody called it. */
  readonly clusters: readonly string[];
  readonly objects: readonly { readonly namespace?: string; readonly name?: string }[];
}

/**
 * Says of records in the order of their times which are wanted. What came of a change names the change of its cluster: a filter by an id
 * over clusters knows these from the records of the changes themselves, and from what is given of earlier ones.
 */
export function historyFilter(filter: HistoryFilter): (record: HistoryRecord) => boolean {
  const { change, changeIds = [] } = filter;
  if (change === undefined) return (record) => isWanted(record, filter);
  const changes = new Set([change, ...changeIds]);
  return (record) => {
    if (record.type === "operator") return false;
    if (record.type === "change" && record.fleetChange === change) changes.add(record.change);
    const ids = record.type === "change" ? [record.change] : record.sources.map((source) => source.change);
    return ids.some((id) => id !== undefined && changes.has(id)) && isWanted(record, filter);
  };
}

/** Whether a record is among those that are wanted, whichever change it is about. */
export function isWanted(record: HistoryRecord, filter: HistoryFilter): boolean {
  const { cluster, clusterIds = [], namespace, name, type } = filter;
  if (type !== undefined && record.type !== type) return false;
  if (cluster === undefined && namespace === undefined && name === undefined) return true;
  const { clusters, objects } = aboutOf(record);
  if (cluster !== undefined && !clusters.some((one) => one === cluster || clusterIds.includes(one)))
    return false;
  if (namespace === undefined && name === undefined) return true;
  return objects.some(
    (one) => one.namespace === (namespace ?? one.namespace) && one.name === (name ?? one.name),
  );
}

function aboutOf(record: HistoryRecord): RecordSubject {
  const { cluster } = record;
  const clusters = cluster === undefined ? [] : [cluster.id, cluster.name];
  switch (record.type) {
    case "change":
      return { clusters, objects: [record.source] };
    case "operator": {
      const { cluster: called, workload, source, ...inside } = record.scope ?? {};
      const named = [workload, source].flatMap((one) =>
        one === undefined ? [] : { ...inside, name: one.name },
      );
      return {
        clusters: called === undefined ? clusters : [...clusters, called],
        objects: named.length === 0 ? [inside] : named,
      };
    }
    default:
      return { clusters, objects: [record.workload, ...record.sources] };
  }
}
