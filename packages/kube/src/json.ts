import { isJsonObject, jsonField, jsonText } from "@fleet-reloader/domain/json";

/** The text at a path of own fields; `""` when there is none. */
export function text(value: unknown, ...path: readonly string[]): string {
  return jsonText(value, ...path) ?? "";
}

/** A string map without prototype, so that a key called `__proto__` is just a key. */
export function stringMap(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = jsonField(value, ...path);
  const result: Record<string, string> = Object.create(null);
  if (!isJsonObject(found)) return result;
  for (const [key, entry] of Object.entries(found)) {
    if (typeof entry === "string") result[key] = entry;
  }
  return result;
}

/** RFC 3339 text as whole seconds since the epoch; 0 when unreadable. */
export function seconds(value: unknown, ...path: readonly string[]): number {
  const parsed = Date.parse(text(value, ...path));
  return Number.isNaN(parsed) ? 0 : Math.floor(parsed / 1000);
}
