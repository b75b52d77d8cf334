import type { StringMap } from "../objects/kube-object.ts";
import { badRequest } from "../status-errors.ts";

export type LabelMatch = (labels: StringMap | undefined) => boolean;

const name = "[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?";
const value = "([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?";
const equality = new RegExp(`^(${name})\\s*(=|==|!=)\\s*(${value})$`);
const membership = new RegExp(`^(${name})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const comparison = new RegExp(`^(${name})\\s*([<>])\\s*(-?\\d+)$`);
const existence = new RegExp(`^(!?)\\s*(${name})$`);

/** `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>3`: all have to hold. Throws 400 for anything else. */
export function parseLabelSelector(text: string): LabelMatch {
  const requirements = splitOutsideParentheses(text).map(parseRequirement);
  return (labels) => requirements.every((matches) => matches(labels ?? {}));
}

function splitOutsideParentheses(text: string): readonly string[] {
  if (text.trim() === "") return [];
  return text.split(/,(?![^(]*\))/).map((part) => part.trim());
}

function parseRequirement(text: string): (labels: StringMap) => boolean {
  const equals = equality.exec(text);
  if (equals !== null) {
    const [, key = "", , operator, wanted = ""] = equals;
    return operator === "!=" ? (labels) => labels[key] !== wanted : (labels) => labels[key] === wanted;
  }
  const isIn = membership.exec(text);
  if (isIn !== null) {
    const [, key = "", , operator, list = ""] = isIn;
    const values = new Set(list.split(",").map((item) => item.trim()));
    return operator === "in"
      ? (labels) => labels[key] !== undefined && values.has(labels[key])
      : (labels) => labels[key] === undefined || !values.has(labels[key]);
  }
  const compares = comparison.exec(text);
  if (compares !== null) {
    const [, key = "", , operator, bound] = compares;
    const sign = operator === ">" ? 1 : -1;
    return (labels) => (Number(labels[key] ?? Number.NaN) - Number(bound)) * sign > 0;
  }
  const exists = existence.exec(text);
  if (exists !== null) {
    const [, not, key = ""] = exists;
    return not === "!" ? (labels) => labels[key] === undefined : (labels) => labels[key] !== undefined;
  }
  throw badRequest(`unable to parse requirement: ${JSON.stringify(text)} is not a label requirement`);
}
