import { isJsonObject, type JsonObject, type JsonValue } from "../objects/json.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import { badRequest, unsupportedMediaType } from "../status-errors.ts";
import { applyJsonMerge } from "./json-merge.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

export const applyPatchType = "application/apply-patch+yaml";

export const patchTypes = {
  strategic: "application/strategic-merge-patch+json",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
} as const;

/** What a patch of this media type makes of an object. Throws 415 for one that the kind does not know. */
export function patchFunction(
  type: ResourceType,
  mediaType: string,
  patch: JsonValue,
): (current: JsonObject) => JsonObject {
  switch (mediaType) {
    case patchTypes.json:
      return (current) => applyJsonPatch(current, patch);
    case patchTypes.merge: {
      const body = objectPatch(patch);
      return (current) => applyJsonMerge(current, body);
    }
    case patchTypes.strategic: {
      if (type.isCustom) break;
      const body = objectPatch(patch);
      return (current) => applyStrategicMerge(current, body);
    }
  }
  if (mediaType !== patchTypes.strategic) throw unsupportedMediaType("415: Unsupported Media Type");
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${patchTypes.json}, ${patchTypes.merge}, ${applyPatchType}`,
  );
}

function objectPatch(patch: JsonValue): JsonObject {
  if (isJsonObject(patch)) return patch;
  throw badRequest(
    "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
  );
}
