import { parseJson } from "@fleet-reloader/domain/json";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { IndexEntry } from "@fleet-reloader/engine/ports/reference-index";

/**
 * The text of an index entry in Redis. It is sorted, so equal entries have equal texts. A change of this format makes every workload be adopted
 * again.
 */
export function encodeEntry(entry: IndexEntry): string {
  const { quietPeriodMs, maxWaitMs } = entry.window;
  const hasWindow = quietPeriodMs !== undefined || maxWaitMs !== undefined;
  const patterns = entry.patterns.map((pattern) => [pattern.kind, pattern.item]).sort();
  return JSON.stringify({
    s: [...entry.sources].sort(),
    ...(patterns.length === 0 ? {} : { p: patterns }),
    ...(entry.scope === "" ? {} : { k: entry.scope }),
    ...(entry.templateOwner && { o: workloadKey(entry.templateOwner) }),
    ...(hasWindow ? { w: { q: quietPeriodMs, m: maxWaitMs } } : {}),
  });
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function readPatterns(value: unknown): readonly (readonly [string, string])[] {
  return readList(readJson(value)).map((pair) => {
    const [kind, item] = readList(pair);
    return [readText(kind), readText(item)] as const;
  });
}

export function readWindow(value: unknown): IndexEntry["window"] {
  const window = readJson(value);
  if (typeof window !== "object" || window === null) return {};
  return {
    ...("q" in window && typeof window.q === "number" ? { quietPeriodMs: window.q } : {}),
    ...("m" in window && typeof window.m === "number" ? { maxWaitMs: window.m } : {}),
  };
}

/** Most texts are empty; those are not parsed, because an error of the parser is slow. */
function readJson(value: unknown): unknown {
  const text = readText(value);
  return text === "" ? undefined : parseJson(text);
}
