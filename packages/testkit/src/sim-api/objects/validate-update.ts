import type { FieldProblem } from "../status-errors.ts";
import { equalJson, type JsonObject, type JsonValue, objectAt, valueAt, withPath } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import type { ResourceType } from "./resource-types.ts";
import { forbiddenField, invalidValue } from "./validate.ts";

/** The whole spec of a StatefulSet is fixed but for these. */
const statefulSetMayChange = new Set([
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
]);

/** What of a change the server would refuse with 422: fields that are fixed once an object exists. */
export function problemsOfChange(
  type: ResourceType,
  before: KubeObject,
  after: KubeObject,
): readonly FieldProblem[] {
  if (type.isCustom) return [];
  switch (type.kind) {
    case "ConfigMap":
      return frozenData(before, after);
    case "Secret":
      return [...frozenData(before, after), ...immutable(before, after, "type")];
    case "Deployment":
    case "ReplicaSet":
    case "DaemonSet":
      return immutable(before, after, "spec", "selector");
    case "StatefulSet":
      return statefulSetProblems(before, after);
    case "Job":
      return [
        ...immutable(before, after, "spec", "completions"),
        ...immutable(before, after, "spec", "selector"),
        ...jobTemplateProblems(before, after),
      ];
    default:
      return [];
  }
}

function immutable(
  before: KubeObject,
  after: KubeObject,
  ...path: readonly string[]
): readonly FieldProblem[] {
  const value: JsonValue | undefined = valueAt(after, ...path);
  if (equalJson(valueAt(before, ...path), value)) return [];
  return [invalidValue(path.join("."), value, "field is immutable")];
}

/** `immutable: true` freezes the data and itself. */
function frozenData(before: KubeObject, after: KubeObject): readonly FieldProblem[] {
  if (before.immutable !== true) return [];
  const why = "field is immutable when `immutable` is set";
  const fields = ["immutable", "data", "binaryData"];
  return fields
    .filter((field) => !equalJson(before[field], after[field]))
    .map((field) => forbiddenField(field, why));
}

function statefulSetProblems(before: KubeObject, after: KubeObject): readonly FieldProblem[] {
  const old = objectAt(before, "spec") ?? {};
  const spec = objectAt(after, "spec") ?? {};
  const fixed = [...new Set([...Object.keys(old), ...Object.keys(spec)])].filter(
    (key) => !statefulSetMayChange.has(key),
  );
  if (fixed.every((key) => equalJson(old[key], spec[key]))) return [];
  return [
    forbiddenField(
      "spec",
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
}

/** While a Job is suspended and never ran, what schedules and labels its pods may change. */
function jobTemplateProblems(before: KubeObject, after: KubeObject): readonly FieldProblem[] {
  const isWaiting =
    objectAt(before, "spec")?.suspend === true && objectAt(before, "status")?.startTime === undefined;
  if (isWaiting && equalJson(fixedWhileSuspended(before), fixedWhileSuspended(after))) return [];
  return immutable(before, after, "spec", "template");
}

const mayChangeWhileSuspended = [
  ["metadata", "labels"],
  ["metadata", "annotations"],
  ["spec", "nodeSelector"],
  ["spec", "tolerations"],
  ["spec", "affinity"],
  ["spec", "schedulingGates"],
];

function fixedWhileSuspended(job: KubeObject): JsonObject {
  const template = objectAt(job, "spec", "template") ?? {};
  return mayChangeWhileSuspended.reduce<JsonObject>(
    (rest, path) => withPath(rest, path, undefined),
    template,
  );
}
