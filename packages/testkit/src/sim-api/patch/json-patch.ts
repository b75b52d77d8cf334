import {
  equalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  stringAt,
  withKey,
} from "../objects/json.ts";
import { badRequest, unprocessable } from "../status-errors.ts";

/** RFC 6902. What does not apply is 422 without a reason, as on the real server; so is a failed `test`. */
export function applyJsonPatch(target: JsonObject, patch: JsonValue): JsonObject {
  if (!isJsonArray(patch) || !patch.every(isJsonObject)) {
    throw badRequest(
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
  }
  let document: JsonValue = target;
  for (const operation of patch) document = applyOperation(document, operation);
  if (!isJsonObject(document)) throw unprocessable();
  return document;
}

function applyOperation(document: JsonValue, operation: JsonObject): JsonValue {
  const path = pointer(stringAt(operation, "path"));
  switch (stringAt(operation, "op")) {
    case "add":
      return edit(document, path, { type: "add", value: operation.value ?? null });
    case "replace":
      return edit(document, path, { type: "replace", value: operation.value ?? null });
    case "remove":
      return edit(document, path, { type: "remove" });
    case "move": {
      const from = pointer(stringAt(operation, "from"));
      const value = read(document, from);
      if (value === undefined) throw unprocessable();
      return edit(edit(document, from, { type: "remove" }), path, { type: "add", value });
    }
    case "copy": {
      const value = read(document, pointer(stringAt(operation, "from")));
      if (value === undefined) throw unprocessable();
      return edit(document, path, { type: "add", value });
    }
    case "test":
      if (!equalJson(read(document, path) ?? null, operation.value ?? null)) throw unprocessable();
      return document;
    default:
      throw unprocessable();
  }
}

type Edit =
  | { readonly type: "add"; readonly value: JsonValue }
  | { readonly type: "replace"; readonly value: JsonValue }
  | { readonly type: "remove" };

function pointer(text: string | undefined): readonly string[] {
  if (text === undefined || (text !== "" && !text.startsWith("/"))) throw unprocessable();
  return text
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function read(document: JsonValue, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = document;
  for (const part of path) {
    if (isJsonArray(at)) at = at[indexIn(at, part, 0)];
    else if (isJsonObject(at)) at = at[part];
    else return undefined;
  }
  return at;
}

function edit(document: JsonValue, path: readonly string[], change: Edit): JsonValue {
  const [part, ...rest] = path;
  if (part === undefined) return change.type === "remove" ? null : change.value;
  if (isJsonArray(document)) return editArray(document, part, rest, change);
  if (!isJsonObject(document)) throw unprocessable();
  const child = document[part];
  if (rest.length > 0) {
    if (child === undefined) throw unprocessable();
    return withKey(document, part, edit(child, rest, change));
  }
  if (child === undefined && change.type !== "add") throw unprocessable();
  return withKey(document, part, change.type === "remove" ? undefined : change.value);
}

function editArray(
  list: readonly JsonValue[],
  part: string,
  rest: readonly string[],
  change: Edit,
): JsonValue {
  if (rest.length > 0) {
    const at = indexIn(list, part, 0);
    const child = list[at];
    if (child === undefined) throw unprocessable();
    return list.with(at, edit(child, rest, change));
  }
  switch (change.type) {
    case "add":
      return list.toSpliced(part === "-" ? list.length : indexIn(list, part, 1), 0, change.value);
    case "replace":
      return list.with(indexIn(list, part, 0), change.value);
    case "remove":
      return list.toSpliced(indexIn(list, part, 0), 1);
  }
}

/** `beyond` 1 allows the place right after the last item. */
function indexIn(list: readonly JsonValue[], part: string, beyond: 0 | 1): number {
  const at = /^(0|[1-9]\d*)$/.test(part) ? Number(part) : Number.NaN;
  if (!(at < list.length + beyond)) throw unprocessable();
  return at;
}
