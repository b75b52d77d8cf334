import { type Annotations, annotationValue } from "./workload.ts";

/** One condition on the labels of an object. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: "in" | "notin" | "exists" | "absent" | ">" | "<";
  /** The values of `in` and `notin`, the one bound of `>` and `<`; none otherwise. */
  readonly values: readonly string[];
}

/** Conditions that must all hold. A selector without conditions matches everything. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
}

/** What is wrong with a selector, and how to write it. */
export interface LabelSelectorProblem {
  readonly problem: string;
}

/** Labels by key. People choose the keys, as with annotations. */
export type Labels = Annotations;

/**
 * Reads what `kubectl --selector` reads: `a=b`, `a==b`, `a!=b`, `a in (b, c)`, `a notin (b, c)`, `a`, `!a`, `a>1`, `a<1`,
 * separated by commas; and the two forms of the peer (compat 1.1, flag 19): `a:b` is `a=b`, and the value `*` means that the key
 * is there.
 */
export function parseLabelSelector(text: string): LabelSelector | LabelSelectorProblem {
  const requirements: LabelRequirement[] = [];
  for (const part of splitOutsideParentheses(text)) {
    const requirement = parseRequirement(part);
    if (requirement === undefined) {
      return {
        problem: `${JSON.stringify(part)} is no label requirement; write key=value, key!=value, key in (a, b), key notin (a, b), key or !key`,
      };
    }
    requirements.push(requirement);
  }
  return { requirements };
}

/** Whether an object with these labels is selected. */
export function matchesSelector(selector: LabelSelector, labels: Labels): boolean {
  return selector.requirements.every((requirement) => holds(requirement, labels));
}

/** The selector as Kubernetes writes it, for the `labelSelector` of a list or watch. The same selector always gives the same text. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.requirements.map(formatRequirement).join(",");
}

// A qualified name: an optional DNS name and a slash, then at most 63 characters. Source: apimachinery, IsQualifiedName.
const labelKey = "(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?";
const value = "(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?";
const equality = new RegExp(`^(${labelKey})\\s*(==|=|!=|:)\\s*(${value}|\\*)$`);
const membership = new RegExp(`^(${labelKey})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const comparison = new RegExp(`^(${labelKey})\\s*([<>])\\s*(-?\\d+)$`);
const existence = new RegExp(`^(!?)\\s*(${labelKey})$`);
const wholeValue = new RegExp(`^${value}$`);

function splitOutsideParentheses(text: string): readonly string[] {
  return text.trim() === "" ? [] : text.split(/,(?![^(]*\))/).map((part) => part.trim());
}

function parseRequirement(text: string): LabelRequirement | undefined {
  return parseEquality(text) ?? parseMembership(text) ?? parseComparison(text) ?? parseExistence(text);
}

function parseEquality(text: string): LabelRequirement | undefined {
  const [, name, sign, wanted] = equality.exec(text) ?? [];
  if (name === undefined || sign === undefined || wanted === undefined) return undefined;
  if (wanted !== "*") return { key: name, operator: sign === "!=" ? "notin" : "in", values: [wanted] };
  return { key: name, operator: sign === "!=" ? "absent" : "exists", values: [] };
}

function parseMembership(text: string): LabelRequirement | undefined {
  const [, name, operator, list] = membership.exec(text) ?? [];
  if (name === undefined || list === undefined) return undefined;
  const values = [...new Set(list.split(",").map((item) => item.trim()))].sort();
  if (!values.every((each) => wholeValue.test(each))) return undefined;
  return { key: name, operator: operator === "in" ? "in" : "notin", values };
}

function parseComparison(text: string): LabelRequirement | undefined {
  const [, name, sign, bound] = comparison.exec(text) ?? [];
  if (name === undefined || bound === undefined) return undefined;
  return { key: name, operator: sign === ">" ? ">" : "<", values: [bound] };
}

function parseExistence(text: string): LabelRequirement | undefined {
  const [, not, name] = existence.exec(text) ?? [];
  return name === undefined
    ? undefined
    : { key: name, operator: not === "!" ? "absent" : "exists", values: [] };
}

function holds({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const label = annotationValue(labels, key);
  if (label === undefined) return operator === "absent" || operator === "notin";
  switch (operator) {
    case "in":
      return values.includes(label);
    case "notin":
      return !values.includes(label);
    case "exists":
      return true;
    case "absent":
      return false;
    case ">":
      return isInteger(label) && Number(label) > Number(values[0]);
    case "<":
      return isInteger(label) && Number(label) < Number(values[0]);
  }
}

function isInteger(text: string): boolean {
  return /^-?\d+$/.test(text);
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "in":
    case "notin": {
      const [only, ...others] = values;
      if (only !== undefined && others.length === 0) return `${key}${operator === "in" ? "=" : "!="}${only}`;
      return `${key} ${operator} (${values.join(",")})`;
    }
    case "exists":
      return key;
    case "absent":
      return `!${key}`;
    case ">":
    case "<":
      return `${key}${operator}${values[0]}`;
  }
}
