import { isJsonObject, type JsonObject, jsonField } from "../json.ts";

/**
 * Merges a list like a strategic merge patch whose merge key is `name`, in the same order (source: apimachinery, strategicpatch,
 * `mergeSortedSlice`). Items of the patch keep the order of the patch, and the others keep their own. Each of the others comes before the first
 * patched item that it preceded. New items come as early as that allows. `merge` gets the existing item, or one with only a name.
 */
export function mergeNamed(
  live: readonly unknown[],
  patchNames: readonly string[],
  merge: (item: JsonObject, name: string) => JsonObject,
): readonly unknown[] {
  const placeOf = (item: unknown) =>
    live.findIndex((other) => jsonField(other, "name") === jsonField(item, "name"));
  const untouched = live.filter((item) => !patchNames.some((name) => name === jsonField(item, "name")));
  const patched = patchNames.flatMap((name) => {
    const [first, ...repeated] = live.filter((item) => jsonField(item, "name") === name);
    return [merge(isJsonObject(first) ? first : { name }, name), ...repeated];
  });
  const merged: unknown[] = [];
  for (const item of patched) {
    const place = placeOf(item);
    while (untouched.length > 0 && placeOf(untouched[0]) < place) merged.push(untouched.shift());
    merged.push(item);
  }
  return [...merged, ...untouched];
}
