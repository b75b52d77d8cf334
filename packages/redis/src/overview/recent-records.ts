import { type HistoryQuery, parseHistoryQuery } from "@fleet-reloader/contracts/history-query";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { foldChanges } from "@fleet-reloader/engine/overview/changes/change-folds";
import type { FoldedChanges } from "@fleet-reloader/engine/overview/changes/change-summary";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import type { HistoryReader } from "../history/history-reader.ts";

/** As many records as can be read and summarized in a second or two. */
const recordsReadMax = 100_000;

/** The default of `since`. */
export const recentSince = "1h";

export interface RecentRecords {
  /** Oldest first. */
  readonly records: readonly HistoryRecord[];
  /** There are more records, and newer ones. */
  readonly isCut: boolean;
  /** The requested start; when all records are requested, the time of the first. */
  readonly sinceMs: number;
}

/** The changes of the records since a time. */
export interface CountedChanges {
  readonly changes: FoldedChanges;
  /** The number of records they were folded from. */
  readonly count: number;
}

/** A reader that can also give all changes since a time without the records themselves. */
export interface ChangesReader extends Pick<HistoryReader, "records"> {
  readonly changesSince?: (query: HistoryQuery, signal?: AbortSignal) => Promise<CountedChanges>;
}

export interface RecentRecordsOptions {
  readonly reader: Pick<HistoryReader, "records">;
  /** Redis' own. */
  readonly clock: Pick<Clock, "now">;
}

/** Filters of records as texts; empty: no filter. */
export type RecordFilters = Readonly<Record<"since" | "cluster" | "namespace" | "name" | "change", string>>;

/** The records of the history since a time that match all given filters. Stops when the signal is aborted. */
export async function recentRecords(
  options: RecentRecordsOptions,
  filters: RecordFilters,
  signal?: AbortSignal,
): Promise<RecentRecords> {
  const { since, cluster, namespace, name, change } = filters;
  const given = { since: since || recentSince, cluster, namespace, name, change };
  return await readRecords(options.reader, givenQuery(given, options.clock.now()), signal);
}

/**
 * The changes since a time, in a cluster and a namespace; empty: in all. Stops when the signal is aborted. The caller selects among them afterwards:
 * the end of a roll for one source may be in a record that names another source.
 */
export async function recentChanges(
  options: RecentRecordsOptions & { readonly reader: ChangesReader },
  { since, cluster, namespace }: Pick<RecordFilters, "since" | "cluster" | "namespace">,
  signal?: AbortSignal,
): Promise<{ readonly changes: FoldedChanges; readonly isCut: boolean }> {
  const { clock, reader } = options;
  if (reader.changesSince !== undefined && cluster === "" && namespace === "") {
    const query = givenQuery({ since: since || recentSince }, clock.now());
    const { changes, count } = await reader.changesSince(query, signal);
    return { changes, isCut: count === recordsReadMax };
  }
  const filters = { since, cluster, namespace, name: "", change: "" };
  const { records, isCut } = await recentRecords(options, filters, signal);
  return { changes: foldChanges(records), isCut };
}

/** The records since a time or an age; empty: of the last hour. Faults when there are more than are read: the newest would be missing. */
export async function recordsSince(
  options: RecentRecordsOptions,
  since: string,
): Promise<readonly HistoryRecord[]> {
  const filters = { since, cluster: "", namespace: "", name: "", change: "" };
  const { isCut, records } = await recentRecords(options, filters);
  if (!isCut) return records;
  throw refusedQuestion({
    field: "since",
    value: since,
    problem: `since: the history since ${since || recentSince} has more than ${recordsReadMax} records`,
    mend: "give a later since",
  });
}

/** The default of `since` for acts of operators: few happen within an hour. */
const actsSince = "7d";

/** The acts of operators since a time, in a cluster; empty: in all clusters. Stops when the signal is aborted. */
export async function recentActs(
  options: RecentRecordsOptions,
  { since, cluster }: Pick<RecordFilters, "since" | "cluster">,
  signal?: AbortSignal,
): Promise<RecentRecords> {
  const query = givenQuery({ since: since || actsSince, cluster }, options.clock.now());
  return await readRecords(options.reader, { ...query, type: "operator" }, signal);
}

function givenQuery(given: Readonly<Record<string, string>>, nowMs: number): HistoryQuery {
  const all: [string, string][] = [...Object.entries(given), ["limit", String(recordsReadMax)]];
  const parameters = new URLSearchParams(all.filter(([, value]) => value !== ""));
  const query = parseHistoryQuery(parameters, nowMs);
  if ("problems" in query) throw refusedLines(query.problems, parameters);
  return query;
}

async function readRecords(
  reader: RecentRecordsOptions["reader"],
  query: HistoryQuery,
  signal?: AbortSignal,
): Promise<RecentRecords> {
  const records = await reader.records(query, signal);
  return { records, isCut: records.length === recordsReadMax, sinceMs: startOf(query, records) };
}

/** The id of a line begins with its time. */
function startOf({ since }: HistoryQuery, [first]: readonly HistoryRecord[]): number {
  const ms = "ms" in since ? since.ms : Number(since.afterId.split("-")[0]);
  return ms === 0 && first !== undefined ? Date.parse(first.time) : ms;
}

/** A line is `field: what is wrong; what to write`. */
function refusedLines(lines: readonly string[], given: URLSearchParams) {
  const [line = ""] = lines;
  const [field = ""] = line.split(":");
  const [problem = line, ...mend] = line.split("; ");
  return refusedQuestion({ field, value: given.get(field) ?? "", problem, mend: mend.join("; ") });
}
