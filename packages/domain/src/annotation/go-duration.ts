const goUnitsMs: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["\u00b5s", 1e-3], // micro sign
  ["\u03bcs", 1e-3], // Greek letter mu
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Go counts nanoseconds in a signed 64-bit integer: about 292 years. */
const goDurationMaxMs = 2 ** 63 / 1e6;

/**
 * Go's `time.ParseDuration` in milliseconds, rounded to whole ones: `30s`, `1m30s`, `1.5h`, `-2s`, `.5s`, `0`.
 * Anything Go refuses (no unit, spaces, days, more than 292 years) is `undefined`.
 */
export function parseGoDuration(text: string): number | undefined {
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0;
  if (unsigned === "") return undefined;
  const part = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
  let totalMs = 0;
  while (part.lastIndex < unsigned.length) {
    const [, amount, unit] = part.exec(unsigned) ?? [];
    if (amount === undefined || unit === undefined) return undefined;
    totalMs += Number(amount) * (goUnitsMs.get(unit) ?? Number.NaN);
    if (!(totalMs <= goDurationMaxMs)) return undefined;
  }
  const roundedMs = Math.round(totalMs);
  return text.startsWith("-") && roundedMs > 0 ? -roundedMs : roundedMs;
}
