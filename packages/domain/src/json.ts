/** A JSON object as it came from outside: nothing is known about its fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What a text of JSON says; undefined when it is none. The parser's words are dropped: they may quote what must stay secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object, as opposed to a list, a text, a number, a boolean or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field of what may be an object. Only own fields: a missing `constructor` is missing. */
export function jsonField(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The elements of what may be a list; none when it is not one. */
export function jsonList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that says something: wrong types and `""`, which Kubernetes treats as absent, are `undefined`. */
export function jsonText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The fields of what may be an object whose values are texts, own properties all; fields of other types are left out. */
export function jsonTexts(value: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
