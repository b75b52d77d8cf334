import { valueAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import { badRequest } from "../status-errors.ts";

export interface FieldSelector {
  readonly matches: (object: KubeObject) => boolean;
  /** The one name that can match, when the selector says so. */
  readonly name: string | undefined;
  readonly isEmpty: boolean;
}

/** `metadata.name=x,type!=y`. Throws 400 for a field that this kind cannot be selected by. */
export function parseFieldSelector(type: ResourceType, text: string): FieldSelector {
  const terms = text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => parseTerm(type, part));
  return {
    matches: (object) => terms.every((term) => (fieldOf(object, term.field) === term.value) === term.isEqual),
    name: terms.find((term) => term.isEqual && term.field === "metadata.name")?.value,
    isEmpty: terms.length === 0,
  };
}

interface Term {
  readonly field: string;
  readonly isEqual: boolean;
  readonly value: string;
}

function parseTerm(type: ResourceType, text: string): Term {
  const parsed = /^([^=!]+)(==|!=|=)(.*)$/.exec(text);
  if (parsed === null) {
    throw badRequest(`invalid selector: ${JSON.stringify(text)}; can't understand '${text}'`);
  }
  const [, field = "", operator, value = ""] = parsed;
  const isKnown = field === "metadata.name" || (field === "metadata.namespace" && type.isNamespaced);
  if (!isKnown && !type.selectableFields.includes(field)) {
    throw badRequest(
      type.selectableFields.length === 0
        ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
        : `field label not supported: ${field}`,
    );
  }
  return { field, isEqual: operator !== "!=", value };
}

function fieldOf(object: KubeObject, field: string): string {
  const value = valueAt(object, ...field.split("."));
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
