import type { KubeObject } from "../objects/kube-object.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import { forbiddenField } from "../objects/validate.ts";
import { badRequest, type FieldProblem, internalFailure, invalidOptions } from "../status-errors.ts";
import { parseFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector.ts";

/** Which objects a list, a watch or a collection delete is about. */
export interface Selection {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly matches: (object: KubeObject) => boolean;
  /** No selector narrows it: the server then tells how many objects remain. */
  readonly isWhole: boolean;
}

export function parseSelection(
  type: ResourceType,
  namespace: string | undefined,
  name: string | undefined,
  query: URLSearchParams,
): Selection {
  const labels = query.get("labelSelector") ?? "";
  const matchesLabels = parseLabelSelector(labels);
  const fields = parseFieldSelector(type, query.get("fieldSelector") ?? "");
  return {
    type,
    namespace,
    matches: (object) =>
      (name === undefined || object.metadata.name === name) &&
      fields.matches(object) &&
      matchesLabels(object.metadata.labels),
    isWhole: labels.trim() === "" && fields.isEmpty && name === undefined,
  };
}

/** "" and absent are the same: no version asked for. A list calls nonsense 400, all else is 500: so does the real server. */
export function parseVersion(query: URLSearchParams, verb: "get" | "list" | "watch"): number | undefined {
  const text = query.get("resourceVersion") ?? "";
  if (text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const why = `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`;
  throw verb === "list" ? badRequest(`invalid resource version: ${why}`) : internalFailure(why);
}

/** Throws 422 for combinations that the server refuses; messages are its own. */
export function checkListOptions(query: URLSearchParams): void {
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const problems: FieldProblem[] = [];
  if (match !== "") {
    if (version === "") {
      problems.push(
        forbiddenField(
          "resourceVersionMatch",
          "resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
      );
    }
    if (query.has("continue")) {
      problems.push(
        forbiddenField("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"),
      );
    }
    if (match !== "Exact" && match !== "NotOlderThan")
      problems.push(unknownMatch(match, '"Exact", "NotOlderThan", ""'));
    if (match === "Exact" && version === "0") {
      problems.push(
        forbiddenField(
          "resourceVersionMatch",
          'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
      );
    }
  }
  if (query.has("sendInitialEvents")) {
    problems.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (problems.length > 0) throw invalidOptions("ListOptions", problems);
}

/** As a server with the WatchList feature off: a client must be able to live with that. */
export function checkWatchOptions(query: URLSearchParams): void {
  const match = query.get("resourceVersionMatch") ?? "";
  const problems: FieldProblem[] = [];
  if (query.has("sendInitialEvents")) {
    if (match !== "NotOlderThan") {
      problems.push(
        forbiddenField(
          "resourceVersionMatch",
          "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ),
      );
    }
    problems.push(
      forbiddenField(
        "sendInitialEvents",
        "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
      ),
    );
  } else if (match !== "") {
    problems.push(
      forbiddenField(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ),
    );
    if (match !== "NotOlderThan") problems.push(unknownMatch(match, '"NotOlderThan"'));
  }
  if (problems.length > 0) throw invalidOptions("ListOptions", problems);
}

function unknownMatch(match: string, supported: string): FieldProblem {
  return {
    type: "FieldValueNotSupported",
    field: "resourceVersionMatch",
    message: `Unsupported value: "${match}": supported values: ${supported}`,
  };
}
