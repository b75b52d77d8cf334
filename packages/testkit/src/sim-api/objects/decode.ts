import { badRequest } from "../status-errors.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import type { ResourceType } from "./resource-types.ts";

/** Throws the 400 that Go's typed decoder would give for the parts of an object that clients get wrong. */
export function checkDecodable(type: ResourceType, body: JsonObject): void {
  const { metadata } = body;
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata)) {
    throw undecodable(type, metadata, `${type.kind}.metadata`, "v1.ObjectMeta");
  }
  for (const field of ["labels", "annotations"]) {
    checkStrings(type, metadata?.[field], `ObjectMeta.metadata.${field}`);
  }
  if (type.kind === "ConfigMap") {
    checkStrings(type, body.data, "ConfigMap.data");
    checkBytes(type, body.binaryData, "ConfigMap.binaryData");
  }
  if (type.kind === "Secret") {
    checkBytes(type, body.data, "Secret.data");
    checkStrings(type, body.stringData, "Secret.stringData");
  }
}

function checkStrings(type: ResourceType, map: JsonValue | undefined, field: string): void {
  if (map === undefined || map === null) return;
  if (!isJsonObject(map)) throw undecodable(type, map, field, "map[string]string");
  for (const value of Object.values(map)) {
    if (value !== null && value !== undefined && typeof value !== "string")
      throw undecodable(type, value, field, "string");
  }
}

function checkBytes(type: ResourceType, map: JsonValue | undefined, field: string): void {
  checkStrings(type, map, field);
  for (const value of Object.values(isJsonObject(map) ? map : {})) {
    if (typeof value === "string") checkBase64(type, value);
  }
}

function checkBase64(type: ResourceType, text: string): void {
  const significant = text.replace(/[\r\n]/g, "");
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(significant) && significant.length % 4 === 0) return;
  const at = text.search(/[^A-Za-z0-9+/\r\n]/);
  throw badRequest(`${prefix(type)}illegal base64 data at input byte ${at < 0 ? text.length : at}`);
}

function undecodable(type: ResourceType, value: JsonValue, field: string, goType: string) {
  return badRequest(
    `${prefix(type)}json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${field} of type ${goType}`,
  );
}

function prefix(type: ResourceType): string {
  return `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: `;
}

function jsonTypeOf(value: JsonValue): string {
  if (isJsonArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
