import { isJsonObject, type JsonDraft, type JsonObject, type JsonValue } from "../objects/json.ts";

/** RFC 7386: null takes a key out, objects merge, everything else replaces. */
export function applyJsonMerge(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonDraft = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete merged[key];
    else merged[key] = mergeValue(merged[key], value);
  }
  return merged;
}

function mergeValue(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  return applyJsonMerge(isJsonObject(target) ? target : {}, patch);
}
