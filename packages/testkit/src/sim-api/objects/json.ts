/** JSON as the store keeps it. Read-only by type: a stored object is never changed, only replaced. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** The same while it is being built. */
export interface JsonDraft {
  [key: string]: JsonValue | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The edge: whatever JSON.parse gives is JSON. Throws SyntaxError. */
export function parseJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  return value;
}

export function valueAt(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let at = value;
  for (const key of path) {
    if (!isJsonObject(at)) return undefined;
    at = at[key];
  }
  return at;
}

export function objectAt(value: JsonValue | undefined, ...path: readonly string[]): JsonObject | undefined {
  const at = valueAt(value, ...path);
  return isJsonObject(at) ? at : undefined;
}

export function arrayAt(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] {
  const at = valueAt(value, ...path);
  return isJsonArray(at) ? at : [];
}

export function stringAt(value: JsonValue | undefined, ...path: readonly string[]): string | undefined {
  const at = valueAt(value, ...path);
  return typeof at === "string" ? at : undefined;
}

export function numberAt(value: JsonValue | undefined, ...path: readonly string[]): number | undefined {
  const at = valueAt(value, ...path);
  return typeof at === "number" ? at : undefined;
}

/** Deep equality; a key that is undefined counts as absent, key order does not count. */
export function equalJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (isJsonArray(left)) {
    return (
      isJsonArray(right) &&
      left.length === right.length &&
      left.every((item, at) => equalJson(item, right[at]))
    );
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  let matched = 0;
  for (const key in left) {
    if (left[key] === undefined) continue;
    if (!equalJson(left[key], right[key])) return false;
    matched += 1;
  }
  for (const key in right) if (right[key] !== undefined) matched -= 1;
  return matched === 0;
}

/** A copy with one key set; `undefined` takes the key out. */
export function withKey(object: JsonObject, key: string, value: JsonValue | undefined): JsonObject {
  if (value !== undefined) return { ...object, [key]: value };
  if (!(key in object)) return object;
  const { [key]: _dropped, ...rest } = object;
  return rest;
}

/** A copy with the value at `path` replaced; objects on the way are created. */
export function withPath(
  object: JsonObject,
  path: readonly string[],
  value: JsonValue | undefined,
): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  if (rest.length === 0) return withKey(object, key, value);
  const child = object[key];
  if (!isJsonObject(child) && value === undefined) return object;
  return withKey(object, key, withPath(isJsonObject(child) ? child : {}, rest, value));
}

/** One text per value whatever the key order; for hashes of templates. */
export function canonicalJson(value: JsonValue | undefined): string {
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${fields.join(",")}}`;
}
