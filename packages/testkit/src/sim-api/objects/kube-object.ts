import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, objectAt } from "./json.ts";
import { apiVersionOf, type ResourceType } from "./resource-types.ts";

export interface StringMap {
  readonly [key: string]: string;
}

/** `metadata` of a stored object: what the server itself reads is typed, the rest is carried along. */
export interface ObjectMeta extends JsonObject {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generation?: number | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly labels?: StringMap | undefined;
  readonly annotations?: StringMap | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly JsonObject[] | undefined;
  readonly managedFields?: readonly JsonObject[] | undefined;
}

/** An object as stored: complete, immutable. */
export interface KubeObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Identity and history that only the server decides. */
export interface ServerMeta {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generation: number | undefined;
  readonly deletionTimestamp: string | undefined;
  readonly managedFields: readonly JsonObject[] | undefined;
}

/**
 * Reads what a client sent as an object of this type; the part of `metadata` that belongs to the
 * server is replaced by `server`. `checkDecodable` comes before.
 */
export function toKubeObject(type: ResourceType, body: JsonObject, server: ServerMeta): KubeObject {
  const meta = objectAt(body, "metadata") ?? {};
  const {
    name: _name,
    namespace: _namespace,
    uid: _uid,
    resourceVersion: _version,
    generation: _generation,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    selfLink: _selfLink,
    managedFields: _managed,
    generateName,
    labels,
    annotations,
    finalizers,
    ownerReferences,
    ...others
  } = meta;
  return {
    ...body,
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name: server.name,
      generateName,
      namespace: server.namespace,
      uid: server.uid,
      resourceVersion: server.resourceVersion,
      generation: server.generation,
      creationTimestamp: server.creationTimestamp,
      deletionTimestamp: server.deletionTimestamp,
      ...others,
      labels: stringMap(labels),
      annotations: stringMap(annotations),
      ownerReferences: objects(ownerReferences),
      finalizers: strings(finalizers),
      managedFields: server.managedFields,
    },
  };
}

/** The server's part of an object that exists. */
export function serverMetaOf(object: KubeObject): ServerMeta {
  const { metadata } = object;
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    creationTimestamp: metadata.creationTimestamp,
    generation: metadata.generation,
    deletionTimestamp: metadata.deletionTimestamp,
    managedFields: metadata.managedFields,
  };
}

/** A copy with parts of `metadata` replaced. */
export function withMeta(object: KubeObject, meta: Partial<ObjectMeta>): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...meta } };
}

function stringMap(value: JsonValue | undefined): StringMap | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).map(([key, item]): [string, string] => [key, String(item ?? "")]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function objects(value: JsonValue | undefined): readonly JsonObject[] | undefined {
  const found = isJsonArray(value) ? value.filter(isJsonObject) : [];
  return found.length === 0 ? undefined : found;
}

function strings(value: JsonValue | undefined): readonly string[] | undefined {
  const found = isJsonArray(value) ? value.filter((item) => typeof item === "string") : [];
  return found.length === 0 ? undefined : found;
}
