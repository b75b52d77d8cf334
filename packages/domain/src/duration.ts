import { parseGoDuration } from "./annotation/go-duration.ts";

const dayMs = 86_400_000;

/**
 * A duration as people write it, in milliseconds: what Go reads, with optional days in front: `90s`, `5m`, `2h`, `2d`, `1d12h`, `0`. A day has
 * 24 hours. Undefined for anything else. Values that the peer also reads go through `parseGoDuration` instead.
 */
export function parseDuration(text: string): number | undefined {
  const [, sign = "", days, rest = ""] = /^([+-]?)(\d+\.?\d*|\.\d+)d(.*)$/.exec(text) ?? [];
  if (days === undefined) return parseGoDuration(text);
  // A duration has at most one sign.
  const restMs = rest === "" ? 0 : /^[+-]/.test(rest) ? undefined : parseGoDuration(rest);
  if (restMs === undefined) return undefined;
  const ms = Math.round(Number(days) * dayMs) + restMs;
  if (!Number.isSafeInteger(ms)) return undefined;
  return sign === "-" && ms > 0 ? -ms : ms;
}

/**
 * A time with its zone as people write it, such as `2026-01-31T18:00:00Z`, in milliseconds. Undefined for anything else: a time without a zone
 * would be read in the zone of the process, and a day that its month does not have would become one of the next month.
 */
export function parseTime(text: string): number | undefined {
  const [, day] = /^(\d{4}-\d{2}-\d{2})T\S+(Z|[+-]\d{2}:?\d{2})$/.exec(text) ?? [];
  const ms = Date.parse(text);
  if (day === undefined || Number.isNaN(ms)) return undefined;
  return new Date(day).toISOString().startsWith(day) ? ms : undefined;
}
