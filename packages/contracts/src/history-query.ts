import { parseDuration, parseTime } from "@fleet-reloader/domain/duration";
import type { HistoryFilter } from "./history-filter.ts";

/** A question to the history. */
export interface HistoryQuery extends HistoryFilter {
  /** Records from this time on, or after the line with this id. */
  readonly since: { readonly ms: number } | { readonly afterId: string };
  /** Maximum number of records. */
  readonly limit: number;
}

/** Records in an answer: by default, and at most. */
const limitDefault = 10_000;
const limitMax = 100_000;

/** Clocks of machines that are kept in time differ by less. */
const aheadMaxMs = 60_000;

/** The id of a line begins with a time in milliseconds, of 1973 or later: a date such as 2026-07-01 is none. */
const lineId = /^\d{11,15}-\d{1,15}-\d{1,4}$/;

/** The parameters of a question to the history. */
export const historyQueryNames = ["since", "cluster", "namespace", "name", "change", "limit"] as const;

/** Parses the query of `GET /history` and of the command line. If it is wrong, the result is all its problems, one a line. */
export function parseHistoryQuery(
  parameters: URLSearchParams,
  nowMs: number,
): HistoryQuery | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  for (const key of new Set(parameters.keys())) {
    const { length: times } = parameters.getAll(key);
    if (!historyQueryNames.some((one) => one === key))
      problems.push(`${key}: is not known; write ${historyQueryNames.join(", ")}`);
    else if (times > 1) problems.push(`${key}: it is given ${times} times; write it once`);
  }
  const since = sinceOf(parameters.get("since") ?? "0", nowMs);
  if (typeof since === "string") problems.push(since);
  const count = parameters.get("limit") ?? String(limitDefault);
  const limit = Number(count);
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax)
    problems.push(`limit: ${JSON.stringify(count)} must be a whole number from 1 to ${limitMax}`);
  if (problems.length > 0 || typeof since === "string") return { problems };
  const texts = (["cluster", "namespace", "name", "change"] as const).flatMap((key) => {
    const value = parameters.get(key);
    return value === null || value === "" ? [] : [[key, value] as const];
  });
  return { since, limit, ...Object.fromEntries(texts) };
}

/** The start, or what is wrong with it. */
function sinceOf(text: string, nowMs: number): HistoryQuery["since"] | string {
  if (text === "" || text === "0") return { ms: 0 };
  if (lineId.test(text)) return { afterId: text };
  const ago = parseDuration(text);
  if (ago !== undefined && ago >= 0) return { ms: nowMs - ago };
  const ms = parseTime(text);
  const given = `since: ${JSON.stringify(text)}`;
  if (ms === undefined)
    return `${given} is no time; write 2026-07-01T12:00:00Z, 90m for the last 90 minutes, or the id of a line to go on after it`;
  if (ms > nowMs + aheadMaxMs)
    return `${given} is in the future; write a time that is over, or 90m for the last 90 minutes`;
  return { ms };
}
