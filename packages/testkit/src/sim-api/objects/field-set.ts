import {
  equalJson,
  isJsonArray,
  isJsonObject,
  type JsonDraft,
  type JsonObject,
  type JsonValue,
} from "./json.ts";
import { applyListKeys, atomicItems, atomicObjects, setLists } from "./list-keys.ts";

/**
 * A set of paths in the notation of `fieldsV1`: `f:name` for a field, `k:{"name":"x"}` for a list item
 * by key, `v:"x"` for a member of a set. A node belongs to the set when it is empty or holds ".".
 */
export type FieldSet = JsonObject;

/**
 * Containers that are there even in an empty object, as Go's structs without a pointer are. All
 * others are members themselves when they come to be: that is how `f:annotations: {".": {}}` comes.
 */
const alwaysThere = new Set([
  "spec",
  "status",
  "template",
  "jobTemplate",
  "metadata",
  "containers",
  "strategy",
  "updateStrategy",
]);

/** The part of `metadata` that nobody owns. */
const serverFields = new Set([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
  "managedFields",
]);

/** Every path of an object that somebody can own. */
export function fieldsOf(object: JsonObject): FieldSet {
  return changedFields({}, object);
}

/** The same for what a client applies: it owns what it names, not the maps and lists around it. */
export function appliedFields(configuration: JsonObject): FieldSet {
  return withoutContainers(fieldsOf(configuration));
}

/** Items of keyed lists (`k:…`) stay members, maps (`f:…`) do not. */
function withoutContainers(set: FieldSet, isItem = false): FieldSet {
  const kept: JsonDraft = {};
  for (const key in set) {
    const child = childOf(set, key);
    if (child === undefined || (key === "." && !isItem)) continue;
    kept[key] = withoutContainers(child, key.startsWith("k:"));
  }
  return kept;
}

/** The paths whose value in `after` is new or different. */
export function changedFields(before: JsonObject, after: JsonObject): FieldSet {
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = after;
  const oldMeta = isJsonObject(before.metadata) ? before.metadata : {};
  const meta = isJsonObject(metadata) ? changedInObject(ownable(oldMeta), ownable(metadata), false) : {};
  const body = changedInObject(before, rest, false);
  return isEmpty(meta) ? body : { "f:metadata": meta, ...body };
}

function ownable(meta: JsonObject): JsonObject {
  const draft: JsonDraft = {};
  for (const key in meta) if (!serverFields.has(key)) draft[key] = meta[key];
  return draft;
}

function changedInObject(before: JsonObject, after: JsonObject, isItself: boolean): FieldSet {
  const set: JsonDraft = isItself ? { ".": {} } : {};
  for (const key in after) {
    const value = after[key];
    if (value === undefined || value === before[key]) continue;
    const changed = changedInValue(key, before[key], value);
    if (changed !== undefined) set[`f:${key}`] = changed;
  }
  return set;
}

/** undefined: nothing changed. */
function changedInValue(key: string, before: JsonValue | undefined, after: JsonValue): FieldSet | undefined {
  if (isJsonObject(after) && !atomicObjects.has(key)) {
    if (Object.keys(after).length === 0) return isJsonObject(before) ? undefined : {};
    const isNew = before === undefined && !alwaysThere.has(key);
    const changed = changedInObject(isJsonObject(before) ? before : {}, after, isNew);
    return isEmpty(changed) ? undefined : changed;
  }
  if (isJsonArray(after)) {
    const identify = itemIdentity(key);
    const isNew = before === undefined && !alwaysThere.has(key);
    if (identify !== undefined) {
      return changedInList(identify, isJsonArray(before) ? before : [], after, isNew, atomicItems.has(key));
    }
  }
  return equalJson(before, after) ? undefined : {};
}

function changedInList(
  identify: (item: JsonValue) => string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  isNew: boolean,
  areItemsWhole: boolean,
): FieldSet | undefined {
  const old = new Map(before.map((item) => [identify(item), item]));
  const set: JsonDraft = isNew ? { ".": {} } : {};
  for (const item of after) {
    const id = identify(item);
    const previous = old.get(id);
    if (!isJsonObject(item)) {
      if (previous === undefined) set[id] = {};
      continue;
    }
    if (areItemsWhole) {
      if (!equalJson(previous, item)) set[id] = {};
      continue;
    }
    const changed = changedInObject(isJsonObject(previous) ? previous : {}, item, previous === undefined);
    if (!isEmpty(changed)) set[id] = collapsed(changed);
  }
  return isEmpty(set) ? undefined : set;
}

/** How items of this list are written in a path; undefined when the list is one value. */
export function itemIdentity(list: string): ((item: JsonValue) => string) | undefined {
  if (setLists.has(list)) return (item) => `v:${JSON.stringify(item)}`;
  const keys = applyListKeys.get(list);
  if (keys === undefined) return undefined;
  return (item) => {
    const id: JsonDraft = {};
    for (const key of keys) {
      const value = isJsonObject(item) ? item[key] : undefined;
      id[key] = value ?? (key === "protocol" ? "TCP" : undefined);
    }
    return `k:${JSON.stringify(id)}`;
  };
}

export function isEmpty(set: FieldSet): boolean {
  for (const key in set) if (set[key] !== undefined) return false;
  return true;
}

function childOf(set: FieldSet, key: string): FieldSet | undefined {
  const child = set[key];
  return isJsonObject(child) ? child : undefined;
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmpty(left) || isEmpty(right)) return isEmpty(left) ? right : left;
  const merged: JsonDraft = { ...left };
  for (const key in right) {
    const mine = childOf(left, key);
    const theirs = childOf(right, key);
    if (theirs === undefined) continue;
    merged[key] = mine === undefined ? theirs : unionOfNodes(mine, theirs);
  }
  return merged;
}

/** Below the root an empty node is a member, so that joining it with children must keep it as ".". */
function unionOfNodes(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmpty(left)) return isEmpty(right) ? right : { ".": {}, ...right };
  if (isEmpty(right)) return { ".": {}, ...left };
  return union(left, right);
}

/** What is in `left` and not in `right`. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  const kept: JsonDraft = {};
  for (const key in left) {
    const mine = childOf(left, key);
    if (mine === undefined) continue;
    const theirs = childOf(right, key);
    if (theirs === undefined) {
      kept[key] = mine;
      continue;
    }
    if (isEmpty(mine)) {
      if (!isMember(theirs)) kept[key] = mine;
      continue;
    }
    const rest = difference(mine, isEmpty(theirs) ? { ".": {} } : theirs);
    if (!isEmpty(rest)) kept[key] = collapsed(rest);
  }
  return kept;
}

/** What is in both. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return difference(left, difference(left, right));
}

/** A member without members is written as an empty node. */
function collapsed(node: FieldSet): FieldSet {
  for (const key in node) if (key !== "." && node[key] !== undefined) return node;
  return {};
}

function isMember(node: FieldSet): boolean {
  return isEmpty(node) || node["."] !== undefined;
}

/** The paths as text, for conflict messages: `.data.colour`, `.spec.containers[name="app"].image`. */
export function pathsOf(set: FieldSet, prefix = ""): readonly string[] {
  if (isEmpty(set)) return prefix === "" ? [] : [prefix];
  return Object.keys(set).flatMap((key) => {
    const child = childOf(set, key);
    if (child === undefined) return [];
    if (key === ".") return [prefix];
    return pathsOf(child, prefix + pathElement(key));
  });
}

function pathElement(key: string): string {
  const text = key.slice(2);
  if (key.startsWith("f:")) return `.${text}`;
  if (key.startsWith("v:")) return `[=${text}]`;
  const id = JSON.parse(text);
  return `[${Object.entries(id)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",")}]`;
}
