import {
  equalJson,
  isJsonArray,
  isJsonObject,
  type JsonDraft,
  type JsonObject,
  type JsonValue,
  stringAt,
} from "../objects/json.ts";
import { setLists, strategicListKeys } from "../objects/list-keys.ts";
import { internalFailure } from "../status-errors.ts";

const ORDER = "$setElementOrder/";
const DELETE_FROM = "$deleteFromPrimitiveList/";
const PATCH = "$patch";
const RETAIN = "$retainKeys";

/**
 * Strategic merge patch of built-in kinds: as a JSON merge patch, but lists with a merge key merge
 * item by item, and the directives `$patch`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…` and
 * `$retainKeys` are obeyed. `target` stays as it is.
 */
export function applyStrategicMerge(target: JsonObject, patch: JsonObject): JsonObject {
  if (patch[PATCH] === "replace") return withoutMarks(patch);
  if (patch[PATCH] === "delete") return {};
  const merged: JsonDraft = { ...target };
  dropUnretained(merged, patch[RETAIN]);
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined || key === PATCH || key === RETAIN || key.startsWith(ORDER)) continue;
    if (key.startsWith(DELETE_FROM)) {
      const list = key.slice(DELETE_FROM.length);
      merged[list] = without(merged[list], value);
    } else if (value === null) delete merged[key];
    else {
      const field = mergeField(key, merged[key], value, patch[ORDER + key]);
      if (field === undefined) delete merged[key];
      else merged[key] = field;
    }
  }
  applyOrders(merged, patch);
  return merged;
}

function mergeField(
  key: string,
  target: JsonValue | undefined,
  patch: JsonValue,
  order: JsonValue | undefined,
): JsonValue | undefined {
  if (target === undefined) return withoutDirectives(patch);
  if (isJsonObject(patch)) return applyStrategicMerge(isJsonObject(target) ? target : {}, patch);
  if (!isJsonArray(patch)) return patch;
  const list = isJsonArray(target) ? target : [];
  if (setLists.has(key)) return ordered(undefined, union(list, patch), patch, list);
  const mergeKey = strategicListKeys.get(key);
  if (mergeKey === undefined || !patch.every(isJsonObject)) return patch;
  return mergeList(mergeKey, list.filter(isJsonObject), patch, isJsonArray(order) ? order : undefined);
}

function mergeList(
  mergeKey: string,
  list: readonly JsonObject[],
  patch: readonly JsonObject[],
  order: readonly JsonValue[] | undefined,
): readonly JsonValue[] {
  const odd = patch.find((item) => ![undefined, "replace", "delete"].includes(stringAt(item, PATCH)));
  if (odd !== undefined) throw internalFailure(`unknown patch type: ${odd[PATCH]} in map: ${goText(odd)}`);
  const plain = patch.filter((item) => item[PATCH] === undefined);
  if (patch.some((item) => item[PATCH] === "replace")) return plain.map(withoutMarks);
  if (order !== undefined) checkOrder(mergeKey, plain, order);
  const deleted = patch
    .filter((item) => item[PATCH] === "delete")
    .map((item): JsonValue => {
      const key = item[mergeKey];
      if (key === undefined) throw withoutMergeKey(item, mergeKey);
      return key;
    });
  const kept = list.filter((item) => !deleted.includes(item[mergeKey] ?? null));
  let merged: readonly JsonObject[] = kept;
  for (const item of plain) {
    const key = item[mergeKey];
    if (key === undefined) throw withoutMergeKey(item, mergeKey);
    const at = merged.findIndex((candidate) => candidate[mergeKey] === key);
    const found = merged[at];
    merged =
      found === undefined
        ? [...merged, applyStrategicMerge({}, item)]
        : merged.with(at, applyStrategicMerge(found, item));
  }
  return ordered(mergeKey, merged, order ?? plain, list);
}

/** Named items must come in the order that the patch itself asks for. */
function checkOrder(mergeKey: string, items: readonly JsonObject[], order: readonly JsonValue[]): void {
  const places = items.map((item) => order.findIndex((candidate) => isSameItem(mergeKey, candidate, item)));
  const isInOrder = places.every((place, at) => place >= 0 && place > (places[at - 1] ?? -1));
  if (isInOrder) return;
  throw internalFailure(
    `The order in patch list:\n${goText(items)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
  );
}

function withoutMergeKey(item: JsonObject, mergeKey: string): Error {
  return internalFailure(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** As Go prints a map. */
function goText(value: JsonValue | undefined): string {
  if (isJsonArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const fields = Object.keys(value).sort();
  return `map[${fields.map((key) => `${key}:${goText(value[key])}`).join(" ")}]`;
}

/** A list that the patch only reorders, without touching an item. */
function applyOrders(merged: JsonDraft, patch: JsonObject): void {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(ORDER) || !isJsonArray(order)) continue;
    const key = directive.slice(ORDER.length);
    const list = merged[key];
    if (isJsonArray(list)) merged[key] = ordered(strategicListKeys.get(key), list, order, list);
  }
}

/**
 * The server's way of ordering: named items in the patch's order, the others in the live order, woven
 * together by the live order where both are known. A new item therefore comes *before* old ones.
 */
function ordered(
  mergeKey: string | undefined,
  items: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  liveOrder: readonly JsonValue[],
): readonly JsonValue[] {
  const place = (order: readonly JsonValue[], item: JsonValue): number =>
    order.findIndex((candidate) => isSameItem(mergeKey, candidate, item));
  const byPlaceIn = (order: readonly JsonValue[]) => (left: JsonValue, right: JsonValue) =>
    place(order, left) - place(order, right);
  const named = items.filter((item) => place(patchOrder, item) >= 0).sort(byPlaceIn(patchOrder));
  const others = items.filter((item) => place(patchOrder, item) < 0).sort(byPlaceIn(liveOrder));
  const woven: JsonValue[] = [];
  for (const item of named) {
    const here = place(liveOrder, item);
    while (others[0] !== undefined && here >= 0 && isBefore(place(liveOrder, others[0]), here)) {
      woven.push(...others.splice(0, 1));
    }
    woven.push(item);
  }
  return [...woven, ...others];
}

function isBefore(place: number, other: number): boolean {
  return place >= 0 && place < other;
}

function isSameItem(mergeKey: string | undefined, left: JsonValue, right: JsonValue): boolean {
  if (mergeKey === undefined || !isJsonObject(left) || !isJsonObject(right)) return equalJson(left, right);
  return left[mergeKey] === right[mergeKey];
}

function union(list: readonly JsonValue[], added: readonly JsonValue[]): readonly JsonValue[] {
  return [...list, ...added.filter((item) => !list.includes(item))];
}

function without(list: JsonValue | undefined, deleted: JsonValue): JsonValue | undefined {
  if (!isJsonArray(list) || !isJsonArray(deleted)) return list;
  return list.filter((item) => !deleted.includes(item));
}

/** `$retainKeys` names every key that may stay beside those of the patch. */
function dropUnretained(merged: JsonDraft, retain: JsonValue | undefined): void {
  if (!isJsonArray(retain)) return;
  for (const key of Object.keys(merged)) if (!retain.includes(key)) delete merged[key];
}

function withoutMarks(object: JsonObject): JsonObject {
  const { [PATCH]: _patch, [RETAIN]: _retain, ...rest } = object;
  return rest;
}

/** A new value as the patch has it: nulls and everything that is meant for the merge are left out. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (isJsonArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (value[PATCH] !== undefined) return undefined;
  const kept: JsonDraft = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined || item === null || key.startsWith("$")) continue;
    const inner = withoutDirectives(item);
    if (inner !== undefined) kept[key] = inner;
  }
  return kept;
}
