import { isJsonObject, type JsonObject, jsonField } from "../json.ts";

/**
 * How a strategic merge patch merges a list whose merge key is `name`, including the order it leaves behind (source:
 * apimachinery, strategicpatch, `mergeSortedSlice`): items of the patch stand in the order of the patch, the others in
 * their own, each of the others before the first item of the patch that stood behind it; new items come as early as
 * that allows. `merge` gets the existing item, or one with only a name.
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
