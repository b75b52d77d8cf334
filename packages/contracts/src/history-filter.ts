import type { HistoryRecord } from "@fleet-reloader/engine/history/history";

/** Selects records of the history. An absent field excludes nothing. */
export interface HistoryFilter {
  /** Id or name of a cluster. */
  readonly cluster?: string;
  /** Ids of the clusters that have this name now. Their records under other names match, too. */
  readonly clusterIds?: readonly string[];
  readonly namespace?: string;
  /** Name of the workload, or of a source in the record. */
  readonly name?: string;
  /** Id of a change, in one cluster or in all clusters. */
  readonly change?: string;
  /** Ids that a change in all clusters has in single clusters, from records before the filtered ones. */
  readonly changeIds?: readonly string[];
  /** Selects only acts of operators. */
  readonly type?: "operator";
}

interface RecordSubject {
  /** Names of its cluster: id and name, or the name that an operator used. */
  readonly clusters: readonly string[];
  readonly objects: readonly { readonly namespace?: string; readonly name?: string }[];
}

/**
 * Makes a filter for records in the order of their times. The records of a roll name the change by its id in one cluster. A filter by an id for
 * all clusters learns these ids from the records of the changes themselves, and gets earlier ones in `changeIds`.
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

/** Whether a record matches the filter, apart from the change. */
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
