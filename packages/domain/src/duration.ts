import { parseGoDuration } from "./annotation/go-duration.ts";

const dayMs = 86_400_000;

/**
 * A duration as people write it, in milliseconds: what Go reads, and days in front of it: `90s`, `5m`, `2h`, `2d`, `1d12h`, `0`. A day has
 * 24 hours. Undefined for anything else. What the peer reads is read as the peer does, by `parseGoDuration`.
 */
export function parseDuration(text: string): number | undefined {
  const [, sign = "", days, rest = ""] = /^([+-]?)(\d+\.?\d*|\.\d+)d(.*)$/.exec(text) ?? [];
  if (days === undefined) return parseGoDuration(text);
  // A duration has one sign at most.
  const restMs = rest === "" ? 0 : /^[+-]/.test(rest) ? undefined : parseGoDuration(rest);
  if (restMs === undefined) return undefined;
  const ms = Math.round(Number(days) * dayMs) + restMs;
  if (!Number.isSafeInteger(ms)) return undefined;
  return sign === "-" && ms > 0 ? -ms : ms;
}

/**
 * A time as people write it, with its zone, such as `2026-01-31T18:00:00Z`, in milliseconds. Undefined for anything else: without a zone it would
 * be a time of the zone that the process has, and a day that its month does not have would be one of the next month.
 */
export function parseTime(text: string): number | undefined {
  const [, day] = /^(\d{4}-\d{2}-\d{2})T\S+(Z|[+-]\d{2}:?\d{2})$/.exec(text) ?? [];
  const ms = Date.parse(text);
  if (day === undefined || Number.isNaN(ms)) return undefined;
  return new Date(day).toISOString().startsWith(day) ? ms : undefined;
}
