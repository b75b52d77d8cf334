/** A JSON object from outside: nothing is known about its fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value of a JSON text; undefined when it is not JSON. The parser's message is dropped, because it may quote a secret. */
export function parseJson(text: string): unknown {
  // An absent record is an empty text. Parsing it would make an error with a stack, which takes 8 µs.
  if (text === "") return undefined;
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

/** The value at a path of own fields; undefined where one is missing or is no object. Inherited fields such as `constructor` count as missing. */
export function jsonField(value: unknown, ...path: readonly string[]): unknown {
  return atPath(value, path);
}

/** The elements of the list at a path; empty if there is no list. */
export function jsonList(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = atPath(value, path);
  return Array.isArray(found) ? found : [];
}

/** The text at a path; undefined for other types and for `""`, which Kubernetes treats as absent. */
export function jsonText(value: unknown, ...path: readonly string[]): string | undefined {
  const found = atPath(value, path);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** The own text fields of the object at a path; fields of other types are left out. */
export function jsonTexts(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = atPath(value, path);
  if (!isJsonObject(found)) return {};
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** Takes the path as an array without a copy: most of these are called for every object of every list. */
function atPath(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (!isJsonObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}
