import {
  appliedFields,
  changedFields,
  difference,
  type FieldSet,
  fieldsOf,
  intersection,
  isEmpty,
  itemIdentity,
  pathsOf,
} from "../objects/field-set.ts";
import {
  equalJson,
  isJsonArray,
  isJsonObject,
  type JsonDraft,
  type JsonObject,
  type JsonValue,
  stringAt,
  valueAt,
} from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { atomicObjects } from "../objects/list-keys.ts";
import {
  entryIn,
  entryOf,
  type FieldWriter,
  fieldsIn,
  isEntryOf,
  ownFields,
  sortedEntries,
} from "../objects/managed-fields.ts";
import { normalise } from "../objects/normalise.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import { ApiError, badRequest, conflict } from "../status-errors.ts";
import type { Registry } from "./registry.ts";
import type { ObjectStore } from "./store.ts";
import type { WriteContext } from "./write-context.ts";

export interface ApplyRequest {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly configuration: JsonObject;
  readonly isForced: boolean;
  readonly context: WriteContext;
}

/** Server-side apply: the manager owns what it names, takes out what it no longer names, and argues about the rest. */
export function applyConfiguration(
  deps: { readonly store: ObjectStore; readonly registry: Registry },
  request: ApplyRequest,
): { readonly object: KubeObject; readonly isNew: boolean } {
  const { type, namespace, name, context } = request;
  const configuration = normalise(type, request.configuration);
  if (stringAt(configuration, "apiVersion") === undefined || stringAt(configuration, "kind") === undefined) {
    throw badRequest("invalid object type: /, Kind=");
  }
  if (valueAt(configuration, "metadata", "managedFields") !== undefined)
    throw badRequest("metadata.managedFields must be nil");
  const writer: FieldWriter = {
    manager: context.manager,
    operation: "Apply",
    subresource: context.subresource,
  };
  const wanted = appliedFields(request.configuration);
  if (deps.store.get(type, namespace, name) === undefined) {
    const uid = stringAt(configuration, "metadata", "uid");
    if (uid !== undefined)
      throw conflict(
        type,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    const body = {
      ...configuration,
      metadata: { ...(isJsonObject(configuration.metadata) ? configuration.metadata : {}), name },
    };
    const rule = (_before: KubeObject | undefined, _after: KubeObject, now: Date) => [
      entryOf(type, writer, wanted, now),
    ];
    return { object: deps.registry.create(type, namespace, body, context, rule), isNew: true };
  }
  const rule = (before: KubeObject | undefined, after: KubeObject, now: Date) =>
    managedAfter(type, before, after, writer, wanted, now);
  const change = (current: KubeObject) => merged(current, configuration, writer, wanted, request.isForced);
  return { object: deps.registry.update(type, namespace, name, change, context, rule), isNew: false };
}

function merged(
  current: KubeObject,
  configuration: JsonObject,
  writer: FieldWriter,
  wanted: FieldSet,
  isForced: boolean,
): JsonObject {
  const overlaid = overlay(current, configuration);
  const changed = changedFields(current, overlaid);
  const others = (current.metadata.managedFields ?? []).filter((entry) => !isEntryOf(entry, writer));
  const disputes = others
    .map((entry) => ({ entry, paths: pathsOf(intersection(fieldsIn(entry), changed)) }))
    .filter(({ paths }) => paths.length > 0);
  if (disputes.length > 0 && !isForced) throw applyConflict(disputes);
  const dropped = difference(ownFields(current, writer), wanted);
  const orphaned = others.reduce((left, entry) => difference(left, fieldsIn(entry)), dropped);
  return withoutFields(overlaid, orphaned);
}

function managedAfter(
  type: ResourceType,
  before: KubeObject | undefined,
  after: KubeObject,
  writer: FieldWriter,
  wanted: FieldSet,
  now: Date,
): readonly JsonObject[] | undefined {
  const changed = before === undefined ? {} : changedFields(before, after);
  const present = fieldsOf(after);
  const others = (before?.metadata.managedFields ?? []).flatMap((entry): JsonObject[] => {
    if (isEntryOf(entry, writer)) return [];
    const kept = intersection(difference(fieldsIn(entry), changed), present);
    return isEmpty(kept) ? [] : [{ ...entry, fieldsV1: kept }];
  });
  const own = before && entryIn(before, writer);
  const isRepeat = own !== undefined && isEmpty(changed) && equalJson(fieldsIn(own), wanted);
  const entry = isRepeat ? own : entryOf(type, writer, wanted, now);
  return sortedEntries(isEmpty(wanted) ? others : [...others, entry]);
}

function applyConflict(
  disputes: readonly { readonly entry: JsonObject; readonly paths: readonly string[] }[],
): ApiError {
  const causes = disputes.flatMap(({ entry, paths }) =>
    paths.map((path) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${describe(entry)}`,
      field: path,
    })),
  );
  const texts = disputes.map(({ entry, paths }) =>
    paths.length === 1
      ? `conflict with ${describe(entry)}: ${paths[0]}`
      : `conflicts with ${describe(entry)}:\n${paths.map((path) => `- ${path}`).join("\n")}`,
  );
  const count = causes.length === 1 ? "1 conflict" : `${causes.length} conflicts`;
  return new ApiError({
    code: 409,
    reason: "Conflict",
    message: `Apply failed with ${count}: ${texts.join("\n")}`,
    details: { causes },
  });
}

function describe(entry: JsonObject): string {
  const operation =
    stringAt(entry, "operation") === "Update" ? ` using ${stringAt(entry, "apiVersion")}` : "";
  const subresource = stringAt(entry, "subresource");
  const through = subresource === undefined ? "" : ` with subresource "${subresource}"`;
  return `"${stringAt(entry, "manager")}"${through}${operation}`;
}

/** The configuration laid over the live object: maps and keyed lists by item, everything else as a whole. */
function overlay(live: JsonObject, configuration: JsonObject): JsonObject {
  const result: JsonDraft = { ...live };
  for (const [key, value] of Object.entries(configuration)) {
    if (value !== undefined) result[key] = overlayValue(key, live[key], value);
  }
  return result;
}

function overlayValue(key: string, live: JsonValue | undefined, value: JsonValue): JsonValue {
  if (isJsonObject(value) && isJsonObject(live) && !atomicObjects.has(key)) return overlay(live, value);
  const identify = itemIdentity(key);
  if (!isJsonArray(value) || !isJsonArray(live) || identify === undefined) return value;
  const wanted = new Map(value.map((item) => [identify(item), item]));
  const kept = live.map((item) => {
    const mine = wanted.get(identify(item));
    wanted.delete(identify(item));
    return mine === undefined ? item : isJsonObject(item) && isJsonObject(mine) ? overlay(item, mine) : mine;
  });
  return [...kept, ...wanted.values()];
}

/** Takes the paths of a set out of an object. */
function withoutFields(object: JsonObject, fields: FieldSet): JsonObject {
  const result: JsonDraft = { ...object };
  for (const [element, child] of Object.entries(fields)) {
    if (!element.startsWith("f:") || !isJsonObject(child)) continue;
    const key = element.slice(2);
    const value = result[key];
    if (isEmpty(child)) delete result[key];
    else if (isJsonObject(value)) result[key] = withoutFields(value, child);
    else if (isJsonArray(value)) result[key] = withoutItems(key, value, child);
  }
  return result;
}

function withoutItems(list: string, items: readonly JsonValue[], fields: FieldSet): readonly JsonValue[] {
  const identify = itemIdentity(list);
  if (identify === undefined) return items;
  return items.flatMap((item): readonly JsonValue[] => {
    const child = fields[identify(item)];
    if (!isJsonObject(child)) return [item];
    // Whoever owned the item itself takes it along; a few owned fields leave the rest standing.
    if (isEmpty(child) || child["."] !== undefined || !isJsonObject(item)) return [];
    return [withoutFields(item, child)];
  });
}
