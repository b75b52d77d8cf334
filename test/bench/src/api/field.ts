/** What lies at a path in a parsed JSON value; undefined when there is nothing. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = Object.hasOwn(current, name) ? Reflect.get(current, name) : undefined;
  }
  return current;
}

export function text(value: unknown, ...path: readonly string[]): string {
  const found = field(value, ...path);
  return typeof found === "string" ? found : "";
}

export function items(list: unknown): readonly unknown[] {
  const found = field(list, "items");
  return Array.isArray(found) ? found : [];
}

export function entries(value: unknown, ...path: readonly string[]): readonly (readonly [string, unknown])[] {
  const found = field(value, ...path);
  return typeof found === "object" && found !== null ? Object.entries(found) : [];
}
