import type { AuditedUser } from "@fleet-reloader/domain/hint/audited-write";
import type { Hint, HintedResource } from "@fleet-reloader/domain/hint/hint";
import { isJsonObject, type JsonObject } from "@fleet-reloader/domain/json";
import { defaultSourceKinds } from "@fleet-reloader/domain/source/source";
import { type AuditedRequest, readRequest } from "./request-uri.ts";

/** Why an event is of no use. A closed set: a metric counts by it. */
export type IgnoredReason = "stage" | "verb" | "subresource" | "dry-run" | "refused" | "malformed";

/** The result of reading one event. */
export type EventReading =
  | {
      readonly type: "hint";
      readonly hint: Hint;
      /** The field manager that the API server gives a write of this client. */
      readonly manager: string;
      readonly fromSeconds: number;
      readonly toSeconds: number;
      readonly by: AuditedUser;
      /** It contains a Secret or a ConfigMap. */
      readonly hasBody: boolean;
    }
  | { readonly type: "ignored"; readonly reason: IgnoredReason; readonly hasBody: boolean };

/** The verbs that change an object. No other verb, known or not, changes one. */
export const mutatingVerbs = ["create", "update", "patch", "delete", "deletecollection"] as const;

/** `Panic`: the outcome is unknown. The other stages come before anything is changed, or while a watch runs. */
const usefulStages = new Set<unknown>(["ResponseComplete", "Panic"]);
const usefulVerbs = new Set<unknown>(mutatingVerbs);

/** A name of an object that may be a path segment, as in Kubernetes: ValidatePathSegmentName and 253 characters. */
const auditedNameMax = 253;
const namePattern = /^[A-Za-z0-9_:][-A-Za-z0-9._:]*$/;
const groupPattern = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/;
const resourcePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/**
 * Reads one event by an allow-list of fields. It does not look into the objects that an event above the level Metadata contains. It
 * reports their presence only for Secrets and ConfigMaps: clouds send other objects by policies that nobody can change.
 */
export function readAuditEvent(event: unknown): EventReading {
  const fields = objectOf(event);
  if (!isJsonObject(fields.objectRef)) return { type: "ignored", reason: "malformed", hasBody: false };
  const hasBody = isOfSource(fields.objectRef) && hasObject(fields);
  const request = readRequest(textOf(fields.requestURI), textOf(fields.userAgent));
  const ignored = ignoredReason(fields, fields.objectRef, request);
  if (ignored !== undefined) return { type: "ignored", reason: ignored, hasBody };
  const hint = hintOf(fields.objectRef);
  const fromSeconds = wholeSeconds(fields.requestReceivedTimestamp);
  const toSeconds = wholeSeconds(fields.stageTimestamp);
  if (hint === undefined || fromSeconds === undefined || toSeconds === undefined)
    return { type: "ignored", reason: "malformed", hasBody };
  const by = auditedUserOf(fields);
  return { type: "hint", hint, manager: request.manager, fromSeconds, toSeconds, by, hasBody };
}

const kindByResource = new Map(defaultSourceKinds.map((kind) => [`${kind.toLowerCase()}s`, kind]));

/** Undefined for other resources than ConfigMaps and Secrets. */
export function auditedKind({
  group,
  resource,
}: HintedResource): (typeof defaultSourceKinds)[number] | undefined {
  return group === "" ? kindByResource.get(resource) : undefined;
}

function isOfSource(objectRef: JsonObject): boolean {
  const [group, resource] = [textOf(objectRef.apiGroup), textOf(objectRef.resource)];
  return auditedKind({ group, resource }) !== undefined;
}

function hasObject({ requestObject, responseObject }: JsonObject): boolean {
  return requestObject !== undefined || responseObject !== undefined;
}

/** `{}` for other types: no field that is read here is inherited by every object. */
function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** `""` for other types: Kubernetes treats it as absent. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function ignoredReason(
  event: JsonObject,
  objectRef: JsonObject,
  { isDryRun }: AuditedRequest,
): IgnoredReason | undefined {
  if (!usefulStages.has(event.stage)) return "stage";
  if (!usefulVerbs.has(event.verb)) return "verb";
  if (textOf(objectRef.subresource) !== "") return "subresource";
  if (isDryRun) return "dry-run";
  const { code } = objectOf(event.responseStatus);
  // After an answer above 499 the write may have been made.
  return typeof code === "number" && code >= 400 && code < 500 ? "refused" : undefined;
}

function hintOf(objectRef: JsonObject): Hint | undefined {
  const group = textOf(objectRef.apiGroup);
  const resource = textOf(objectRef.resource);
  const name = textOf(objectRef.name);
  const isNamespace = group === "" && resource === "namespaces";
  const namespace = isNamespace ? "" : textOf(objectRef.namespace);
  if (group.length > auditedNameMax || !groupPattern.test(group)) return undefined;
  if (resource.length > auditedNameMax || !resourcePattern.test(resource)) return undefined;
  return isName(name) && isName(namespace) ? { group, resource, namespace, name } : undefined;
}

function isName(text: string): boolean {
  return text === "" || (text.length <= auditedNameMax && namePattern.test(text));
}

/** Longer texts are not made for people. */
const userTextMax = 256;
const groupsMax = 32;

function auditedUserOf(event: JsonObject): AuditedUser {
  const user = objectOf(event.user);
  const listed: readonly unknown[] = Array.isArray(user.groups) ? user.groups : [];
  const groups = listed.slice(0, groupsMax).filter((group) => typeof group === "string");
  const impersonated = textOf(objectOf(event.impersonatedUser).username);
  const by = {
    user: shown(textOf(user.username)),
    groups: groups.map(shown),
    userAgent: shown(textOf(event.userAgent)),
  };
  return impersonated === "" ? by : { ...by, impersonated: shown(impersonated) };
}

/** Matches nearly every text, which is faster than looking up each character. */
const asciiPattern = /^[ -~]*$/;

function shown(text: string): string {
  return (asciiPattern.test(text) ? text : text.replaceAll(/\p{C}/gu, "")).slice(0, userTextMax);
}

function wholeSeconds(time: unknown): number | undefined {
  const parsed = Date.parse(textOf(time));
  return Number.isNaN(parsed) ? undefined : Math.floor(parsed / 1000);
}
