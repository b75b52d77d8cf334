import type { ReferencedKeys } from "../reference/object-use.ts";

/** The keys of a source in an applied state: nothing is written for all of them. */
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
