import { type JsonObject, objectAt, stringAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import { apiVersionOf, qualifiedKind, type ResourceType } from "../objects/resource-types.ts";
import { invalidValue } from "../objects/validate.ts";
import { ApiError, badRequest, internalFailure, invalid, modifiedSince } from "../status-errors.ts";
import type { DeleteOptions } from "./write-context.ts";

export function checkHeader(type: ResourceType, body: JsonObject): void {
  const kind = stringAt(body, "kind") ?? type.kind;
  const apiVersion = stringAt(body, "apiVersion") ?? apiVersionOf(type);
  const version = apiVersion.split("/").at(-1);
  const prefix = `${kind} in version "${version}" cannot be handled as a ${type.kind}: `;
  if (apiVersion !== apiVersionOf(type)) {
    throw badRequest(
      `${prefix}no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (kind !== type.kind) {
    throw badRequest(`${prefix}converting (v1.${kind}) to (core.${type.kind}): unknown conversion`);
  }
}

export function checkIdentity(type: ResourceType, current: KubeObject, wanted: JsonObject): void {
  checkHeader(type, wanted);
  const { name, namespace, uid, resourceVersion } = current.metadata;
  const given = objectAt(wanted, "metadata") ?? {};
  const givenName = given.name ?? "";
  if (givenName === "") {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (givenName !== name) {
    throw badRequest(`the name of the object (${givenName}) does not match the name on the URL (${name})`);
  }
  if (type.isNamespaced && (given.namespace ?? namespace) !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  const version = given.resourceVersion ?? "";
  if (typeof version === "string" && !/^\d*$/.test(version)) {
    throw internalFailure(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  if (version !== "" && version !== resourceVersion) throw modifiedSince(type, name);
  const givenUid = given.uid ?? uid;
  if (givenUid !== uid)
    throw invalid(type, name, [invalidValue("metadata.uid", givenUid, "field is immutable")]);
}

export function checkPreconditions(type: ResourceType, current: KubeObject, options: DeleteOptions): void {
  const { name, uid, resourceVersion } = current.metadata;
  if (options.uid !== undefined && options.uid !== uid) {
    throw failedPrecondition(
      type,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    throw failedPrecondition(
      type,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

/** A conflict that names the kind where others name the resource: so does the real server. */
function failedPrecondition(type: ResourceType, name: string, why: string): ApiError {
  const { group, kind } = type;
  return new ApiError({
    code: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${qualifiedKind(type)} "${name}": ${why}`,
    details: { name, ...(group === "" ? {} : { group }), kind },
  });
}

export function strictDecoding(type: ResourceType, unknown: readonly string[]): ApiError {
  const { kind, version } = type;
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: ${unknownText(unknown)}`,
  );
}

export function strictPatch(unknown: readonly string[]): ApiError {
  const message = `Invalid value: "": ${unknownText(unknown)}`;
  return new ApiError({
    code: 422,
    reason: "Invalid",
    message: ` "" is invalid: patch: ${message}`,
    details: { causes: [{ reason: "FieldValueInvalid", message, field: "patch" }] },
  });
}

function unknownText(unknown: readonly string[]): string {
  return `strict decoding error: ${unknown.map((field) => `unknown field "${field}"`).join(", ")}`;
}
