import { equalJson, type JsonObject, valueAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { ResourceType } from "../objects/resource-types.ts";

export function nextGeneration(
  type: ResourceType,
  current: KubeObject,
  next: KubeObject,
): number | undefined {
  if (type.generation === "none") return current.metadata.generation;
  const generation = current.metadata.generation ?? 1;
  return isSameGeneration(type, current, next) ? generation : generation + 1;
}

function isSameGeneration(type: ResourceType, current: KubeObject, next: KubeObject): boolean {
  if (type.generation === "all-but-metadata")
    return equalJson({ ...current, metadata: null }, { ...next, metadata: null });
  const isAnnotated = type.generation === "spec-and-annotations";
  const isSameText = !isAnnotated || equalJson(current.metadata.annotations, next.metadata.annotations);
  return isSameText && equalJson(current.spec, next.spec);
}

/** `managedFields: [{}]` or `[]` in a write empties them; there is no other way to write them. */
export function clearsManagedFields(wanted: JsonObject): boolean {
  const given = valueAt(wanted, "metadata", "managedFields");
  return Array.isArray(given) && (given.length === 0 || equalJson(given, [{}]));
}
