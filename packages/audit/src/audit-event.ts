import type { AuditedUser } from "@fleet-reloader/domain/hint/audited-write";
import type { Hint } from "@fleet-reloader/domain/hint/hint";
import { isJsonObject, jsonField, jsonList, jsonText } from "@fleet-reloader/domain/json";
import { fieldManagerOf, queryOf } from "./request-uri.ts";

/** Why an event says nothing that is of use. A closed set: a metric counts by it. */
export type IgnoredReason = "stage" | "verb" | "subresource" | "dry-run" | "refused" | "malformed";

/** The fields that are read of one event. */
export type EventReading =
  | {
      readonly type: "hint";
      readonly hint: Hint;
      /** The field manager that the API server gives a write of this client. */
      readonly manager: string;
      readonly fromSeconds: number;
      readonly toSeconds: number;
      readonly by: AuditedUser;
      readonly hasBody: boolean;
    }
  | { readonly type: "ignored"; readonly reason: IgnoredReason; readonly hasBody: boolean };

/** The verbs that change something. Every other one, known or not, changes nothing. */
export const mutatingVerbs = ["create", "update", "patch", "delete", "deletecollection"] as const;

/** `Panic`: the outcome is unknown. The other stages come before anything is changed, or while a watch runs. */
const usefulStages = ["ResponseComplete", "Panic"];

/** A name of an object that may be a path segment, as in Kubernetes: ValidatePathSegmentName and 253 characters. */
const auditedNameMax = 253;
const namePattern = /^[A-Za-z0-9_:][-A-Za-z0-9._:]*$/;
const groupPattern = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/;
const resourcePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/**
 * Reads one event by an allow-list of fields. The objects that an event above the level Metadata contains are not even looked at; that
 * they are there is told. Bodies may hold Secret values.
 */
export function readAuditEvent(event: unknown): EventReading {
  const hasBody = bodies.some((field) => jsonField(event, field) !== undefined);
  const ignored = ignoredReason(event);
  if (ignored !== undefined) return { type: "ignored", reason: ignored, hasBody };
  const hint = hintOf(event);
  const fromSeconds = wholeSeconds(event, "requestReceivedTimestamp");
  const toSeconds = wholeSeconds(event, "stageTimestamp");
  if (hint === undefined || fromSeconds === undefined || toSeconds === undefined)
    return { type: "ignored", reason: "malformed", hasBody };
  const by = auditedUserOf(event);
  const manager = fieldManagerOf(event);
  return { type: "hint", hint, manager, fromSeconds, toSeconds, by, hasBody };
}

const bodies = ["requestObject", "responseObject"] as const;

function ignoredReason(event: unknown): IgnoredReason | undefined {
  if (!isJsonObject(event) || !isJsonObject(jsonField(event, "objectRef"))) return "malformed";
  if (!usefulStages.includes(jsonText(event, "stage") ?? "")) return "stage";
  if (!mutatingVerbs.some((verb) => verb === jsonField(event, "verb"))) return "verb";
  if (jsonText(event, "objectRef", "subresource") !== undefined) return "subresource";
  // Whatever the value is: https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
  if (queryOf(event).has("dryRun")) return "dry-run";
  const code = jsonField(event, "responseStatus", "code");
  // After an answer above 499 the write may have been made.
  return typeof code === "number" && code >= 400 && code < 500 ? "refused" : undefined;
}

function hintOf(event: unknown): Hint | undefined {
  const group = jsonText(event, "objectRef", "apiGroup") ?? "";
  const resource = jsonText(event, "objectRef", "resource") ?? "";
  const name = jsonText(event, "objectRef", "name") ?? "";
  const isNamespace = group === "" && resource === "namespaces";
  const namespace = isNamespace ? "" : (jsonText(event, "objectRef", "namespace") ?? "");
  if (group.length > auditedNameMax || !groupPattern.test(group)) return undefined;
  if (resource.length > auditedNameMax || !resourcePattern.test(resource)) return undefined;
  return isName(name) && isName(namespace) ? { group, resource, namespace, name } : undefined;
}

function isName(text: string): boolean {
  return text === "" || (text.length <= auditedNameMax && namePattern.test(text));
}

/** Longer ones are not made for people. */
const userTextMax = 256;
const groupsMax = 32;

function auditedUserOf(event: unknown): AuditedUser {
  const user = shown(jsonText(event, "user", "username"));
  const impersonated = jsonText(event, "impersonatedUser", "username");
  const groups = jsonList(event, "user", "groups")
    .slice(0, groupsMax)
    .flatMap((group) => (typeof group === "string" ? [shown(group)] : []));
  const userAgent = shown(jsonText(event, "userAgent"));
  const by = { user, groups, userAgent };
  return impersonated === undefined ? by : { ...by, impersonated: shown(impersonated) };
}

function shown(text = ""): string {
  return text.replaceAll(/\p{C}/gu, "").slice(0, userTextMax);
}

function wholeSeconds(event: unknown, field: string): number | undefined {
  const parsed = Date.parse(jsonText(event, field) ?? "");
  return Number.isNaN(parsed) ? undefined : Math.floor(parsed / 1000);
}
