import { type HistoryQuery, parseHistoryQuery } from "@fleet-reloader/contracts/history-query";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { foldChanges } from "@fleet-reloader/engine/overview/changes/change-folds";
import type { FoldedChanges } from "@fleet-reloader/engine/overview/changes/change-summary";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import type { HistoryReader } from "../history/history-reader.ts";

/** As many records as are read and summarized in a second or two. */
const recordsReadMax = 100_000;

/** Since when people mean when they say nothing. */
export const recentSince = "1h";

export interface RecentRecords {
  /** Oldest first. */
  readonly records: readonly HistoryRecord[];
  /** There are more, and newer ones. */
  readonly isCut: boolean;
  /** From when on they were asked for; where all are asked for, the time of the first. */
  readonly sinceMs: number;
}

/** The changes of the records since a time. */
export interface CountedChanges {
  readonly changes: FoldedChanges;
  /** How many records they were folded from. */
  readonly count: number;
}

/** A reader that may also have all changes since a time without giving out their records. */
export interface ChangesReader extends Pick<HistoryReader, "records"> {
  readonly changesSince?: (query: HistoryQuery, signal?: AbortSignal) => Promise<CountedChanges>;
}

export interface RecentRecordsOptions {
  readonly reader: Pick<HistoryReader, "records">;
  /** Redis' own. */
  readonly clock: Pick<Clock, "now">;
}

/** Which records are asked for, as texts; empty: it does not matter. */
export type RecordFilters = Readonly<Record<"since" | "cluster" | "namespace" | "name" | "change", string>>;

/** The records of the history since a time that match all given filters. Stops when the signal is aborted. */
export async function recentRecords(
  options: RecentRecordsOptions,
  filters: RecordFilters,
  signal?: AbortSignal,
): Promise<RecentRecords> {
  const { since, cluster, namespace, name, change } = filters;
  const given = { since: since || recentSince, cluster, namespace, name, change };
  return await readRecords(options, givenQuery(given, options.clock.now()), signal);
}

/**
 * What came of the changes since a time, in a cluster and a namespace; empty: in all. Stops when the signal is aborted. Which of them are asked
 * for is said afterwards: how a roll for one source ended may be in a record that names another.
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

/** The records since a time or an age; empty: of the last hour. Faults when there are more than are read: what is newest would be missing. */
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

/** Since when people mean what operators did when they say nothing: few do something in an hour. */
const actsSince = "7d";

/** What operators did since a time, in a cluster; empty: in all clusters. Stops when the signal is aborted. */
export async function recentActs(
  options: RecentRecordsOptions,
  { since, cluster }: Pick<RecordFilters, "since" | "cluster">,
  signal?: AbortSignal,
): Promise<RecentRecords> {
  const query = givenQuery({ since: since || actsSince, cluster }, options.clock.now());
  return await readRecords(options, { ...query, type: "operator" }, signal);
}

function givenQuery(given: Readonly<Record<string, string>>, nowMs: number): HistoryQuery {
  const all: [string, string][] = [...Object.entries(given), ["limit", String(recordsReadMax)]];
  const parameters = new URLSearchParams(all.filter(([, value]) => value !== ""));
  const query = parseHistoryQuery(parameters, nowMs);
  if ("problems" in query) throw refusedLines(query.problems, parameters);
  return query;
}

async function readRecords(
  { reader }: Pick<RecentRecordsOptions, "reader">,
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
