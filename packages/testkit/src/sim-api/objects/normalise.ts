import {
  isJsonArray,
  isJsonObject,
  type JsonDraft,
  type JsonObject,
  type JsonValue,
  objectAt,
} from "./json.ts";
import type { ResourceType } from "./resource-types.ts";

/** Go leaves these out when they are empty; objects such as `emptyDir: {}` mean something and stay. */
const omittedWhenEmpty = new Set([
  "labels",
  "annotations",
  "data",
  "binaryData",
  "finalizers",
  "ownerReferences",
  "managedFields",
  "matchLabels",
  "matchExpressions",
  "nodeSelector",
  "env",
  "envFrom",
  "volumes",
  "volumeMounts",
  "args",
  "command",
  "ports",
  "initContainers",
  "imagePullSecrets",
  "tolerations",
  "conditions",
]);

/**
 * Brings a body to the form in which the server stores it: what a typed decoder drops (null, empty
 * optional fields) is dropped, Secrets' `stringData` becomes `data`. Custom resources keep their form.
 */
export function normalise(type: ResourceType, body: JsonObject): JsonObject {
  if (type.isCustom) return body;
  const pruned = prune(body);
  return type.kind === "Secret" ? foldStringData(pruned) : pruned;
}

function prune(object: JsonObject): JsonObject {
  let draft: JsonDraft | undefined;
  for (const key in object) {
    const value = object[key];
    const kept = pruneValue(key, value);
    if (kept === value) continue;
    draft ??= { ...object };
    if (kept === undefined) delete draft[key];
    else draft[key] = kept;
  }
  return draft ?? object;
}

function pruneValue(key: string, value: JsonValue | undefined): JsonValue | undefined {
  if (value === null) return undefined;
  if (isJsonObject(value)) {
    const pruned =
      key === "data" || key === "annotations" || key === "labels" ? nullsAsEmpty(value) : prune(value);
    return omittedWhenEmpty.has(key) && Object.keys(pruned).length === 0 ? undefined : pruned;
  }
  if (!isJsonArray(value)) return value;
  if (value.length === 0) return omittedWhenEmpty.has(key) ? undefined : value;
  const items = value.map((item) => (isJsonObject(item) ? prune(item) : item));
  return items.every((item, at) => item === value[at]) ? value : items;
}

/** In a map of strings null decodes to "". */
function nullsAsEmpty(map: JsonObject): JsonObject {
  if (!Object.values(map).includes(null)) return map;
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value ?? ""]));
}

function foldStringData(secret: JsonObject): JsonObject {
  const plain = objectAt(secret, "stringData");
  if (plain === undefined) return secret;
  const { stringData: _stringData, ...rest } = secret;
  const encoded = Object.entries(plain).map(([key, value]) => [
    key,
    Buffer.from(String(value ?? "")).toString("base64"),
  ]);
  return { ...rest, data: { ...objectAt(secret, "data"), ...Object.fromEntries(encoded) } };
}
