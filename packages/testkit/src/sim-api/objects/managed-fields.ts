import { changedFields, difference, type FieldSet, fieldsOf, isEmpty, union } from "./field-set.ts";
import { isJsonObject, type JsonObject, stringAt } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import { apiVersionOf, type ResourceType } from "./resource-types.ts";

export interface FieldWriter {
  readonly manager: string;
  readonly operation: "Update" | "Apply";
  readonly subresource: string | undefined;
}

/** The API server writes times with a precision of one second. */
export function kubeTime(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}

/**
 * `metadata.managedFields` after an Update or Patch by `writer`: it takes what it changed from
 * everybody else; what vanished belongs to nobody.
 */
export function updateManagedFields(
  type: ResourceType,
  before: KubeObject | undefined,
  after: KubeObject,
  writer: FieldWriter,
  now: Date,
): readonly JsonObject[] | undefined {
  const written = before === undefined ? fieldsOf(after) : changedFields(before, after);
  const changed = writer.subresource === "status" ? written : withoutServerParts(type, written);
  const removed = before === undefined ? {} : difference(fieldsOf(before), fieldsOf(after));
  const lost = union(changed, removed);
  const kept = (before?.metadata.managedFields ?? []).flatMap((entry): JsonObject[] => {
    if (isEntryOf(entry, writer)) return [];
    const fields = difference(fieldsIn(entry), lost);
    return isEmpty(fields) ? [] : [{ ...entry, fieldsV1: fields }];
  });
  const mine = union(difference(ownFields(before, writer), removed), changed);
  // Its time is that of its latest change: written once more it keeps its place among the others.
  const own = isEmpty(changed) ? entryIn(before, writer) : undefined;
  const entry = own === undefined ? entryOf(type, writer, mine, now) : { ...own, fieldsV1: mine };
  return sortedEntries(isEmpty(mine) ? kept : [...kept, entry]);
}

/** What a write to the main path cannot set belongs to nobody, though the server fills it in at creation. */
function withoutServerParts(type: ResourceType, fields: FieldSet): FieldSet {
  const { "f:status": status, "f:spec": spec, ...rest } = fields;
  const kept = type.kind === "Namespace" || spec === undefined ? rest : { ...rest, "f:spec": spec };
  if (type.kind === "Job") return difference(kept, jobIdentity);
  return type.hasStatus || status === undefined ? kept : { ...kept, "f:status": status };
}

/** The labels and the selector that a Job gets at creation. */
const identityLabels: FieldSet = {
  "f:batch.kubernetes.io/controller-uid": {},
  "f:batch.kubernetes.io/job-name": {},
  "f:controller-uid": {},
  "f:job-name": {},
};
const jobIdentity: FieldSet = {
  "f:metadata": { "f:labels": identityLabels },
  "f:spec": { "f:selector": {}, "f:template": { "f:metadata": { "f:labels": identityLabels } } },
};

/** Those of apply first, then by time, then by manager; undefined for none. */
export function sortedEntries(entries: readonly JsonObject[]): readonly JsonObject[] | undefined {
  if (entries.length === 0) return undefined;
  const orderOf = (entry: JsonObject): string =>
    `${stringAt(entry, "operation")} ${stringAt(entry, "time")} ${stringAt(entry, "manager")} ${stringAt(entry, "subresource") ?? ""}`;
  return entries.toSorted((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1));
}

export function ownFields(object: KubeObject | undefined, writer: FieldWriter): FieldSet {
  const entry = entryIn(object, writer);
  return entry === undefined ? {} : fieldsIn(entry);
}

export function entryIn(object: KubeObject | undefined, writer: FieldWriter): JsonObject | undefined {
  return object?.metadata.managedFields?.find((candidate) => isEntryOf(candidate, writer));
}

export function entryOf(type: ResourceType, writer: FieldWriter, fields: FieldSet, now: Date): JsonObject {
  return {
    manager: writer.manager,
    operation: writer.operation,
    apiVersion: apiVersionOf(type),
    time: kubeTime(now),
    fieldsType: "FieldsV1",
    fieldsV1: fields,
    subresource: writer.subresource,
  };
}

export function isEntryOf(entry: JsonObject, writer: FieldWriter): boolean {
  return (
    stringAt(entry, "manager") === writer.manager &&
    stringAt(entry, "operation") === writer.operation &&
    stringAt(entry, "subresource") === writer.subresource
  );
}

export function fieldsIn(entry: JsonObject): FieldSet {
  return isJsonObject(entry.fieldsV1) ? entry.fieldsV1 : {};
}
