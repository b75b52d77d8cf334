import type { ReferencedKeys } from "../reference/object-use.ts";

/** The keys of a source as written in an applied state. For `"all"` nothing is written. */
export function formatKeys(keys: ReferencedKeys): { readonly keys?: readonly string[] } {
  return keys === "all" ? {} : { keys };
}

/** Undefined when it is not as we write it. */
export function parseKeys(value: unknown): ReferencedKeys | undefined {
  if (value === undefined) return "all";
  if (!Array.isArray(value)) return undefined;
  const names = value.filter((key) => typeof key === "string");
  return names.length === value.length ? names : undefined;
}
