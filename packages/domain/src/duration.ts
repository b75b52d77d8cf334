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
