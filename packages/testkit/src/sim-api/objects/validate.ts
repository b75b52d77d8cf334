import type { FieldProblem } from "../status-errors.ts";
import { arrayAt, isJsonObject, type JsonValue, objectAt, stringAt, valueAt } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import type { ResourceType } from "./resource-types.ts";

const MIB = 1024 * 1024;
const ANNOTATIONS_BYTES_MAX = 256 * 1024;

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const keyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const qualifiedNameText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const configKey = /^[-._a-zA-Z0-9]+$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const qualifiedName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** What of an object's own content the server would refuse with 422. */
export function problemsOf(type: ResourceType, object: KubeObject): readonly FieldProblem[] {
  return [...metaProblems(type, object), ...contentProblems(type, object)];
}

function metaProblems(type: ResourceType, object: KubeObject): readonly FieldProblem[] {
  const { name, labels, annotations } = object.metadata;
  const problems: FieldProblem[] = [];
  const isLabel = type.kind === "Namespace";
  const namePattern = isLabel ? label : subdomain;
  if (name.length > (isLabel ? 63 : 253)) {
    problems.push(
      invalidValue("metadata.name", name, `must be no more than ${isLabel ? 63 : 253} characters`),
    );
  }
  if (isLabel && name.includes("."))
    problems.push(invalidValue("metadata.name", name, "must not contain dots"));
  else if (!namePattern.test(name))
    problems.push(invalidValue("metadata.name", name, isLabel ? labelText : subdomainText));
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (!qualifiedName.test(key)) problems.push(invalidValue("metadata.labels", key, qualifiedNameText));
    if (value.length > 63)
      problems.push(invalidValue("metadata.labels", value, "must be no more than 63 bytes"));
    if (!labelValue.test(value)) problems.push(invalidValue("metadata.labels", value, labelValueText));
  }
  return [...problems, ...annotationProblems("metadata.annotations", annotations ?? {})];
}

function annotationProblems(
  field: string,
  annotations: { readonly [key: string]: unknown },
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    if (!qualifiedName.test(key.toLowerCase())) problems.push(invalidValue(field, key, qualifiedNameText));
    bytes += Buffer.byteLength(key) + (typeof value === "string" ? Buffer.byteLength(value) : 0);
  }
  if (bytes > ANNOTATIONS_BYTES_MAX) problems.push(tooLong(field, ANNOTATIONS_BYTES_MAX));
  return problems;
}

function contentProblems(type: ResourceType, object: KubeObject): readonly FieldProblem[] {
  switch (type.kind) {
    case "ConfigMap":
    case "Secret":
      return dataProblems(type, object);
    case "Deployment":
    case "ReplicaSet":
    case "StatefulSet":
    case "DaemonSet":
      if (type.isCustom) return [];
      return [...selectorProblems(object), ...strategyProblems(object), ...templateProblems(type, object)];
    case "Job":
      return templateProblems(type, object);
    case "CronJob":
      return [...scheduleProblems(object), ...templateProblems(type, object)];
    case "Event":
      return eventProblems(object);
    default:
      return [];
  }
}

function scheduleProblems(object: KubeObject): readonly FieldProblem[] {
  const schedule = stringAt(object, "spec", "schedule") ?? "";
  if (schedule === "") return [required("spec.schedule")];
  const fields = schedule.trim().split(/\s+/);
  if (schedule.startsWith("@") || fields.length === 5) return [];
  const why = `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  return [invalidValue("spec.schedule", schedule, why)];
}

function eventProblems(object: KubeObject): readonly FieldProblem[] {
  const namespace = stringAt(object, "involvedObject", "namespace") ?? "";
  if (namespace === (object.metadata.namespace ?? "") || namespace === "") return [];
  return [invalidValue("involvedObject.namespace", namespace, "does not match event.namespace")];
}

function dataProblems(type: ResourceType, object: KubeObject): readonly FieldProblem[] {
  const entries = ["data", "binaryData"].flatMap((field) =>
    Object.entries(objectAt(object, field) ?? {}).map(([key, value]) => ({ field, key, value })),
  );
  const problems = entries.flatMap(({ field, key }) => keyProblems(`${field}[${key}]`, key));
  const bytes = entries.reduce((sum, { field, value }) => {
    const isText = type.kind === "ConfigMap" && field === "data";
    return sum + (typeof value === "string" ? Buffer.byteLength(value, isText ? "utf8" : "base64") : 0);
  }, 0);
  return bytes > MIB ? [...problems, tooLong(type.kind === "Secret" ? "data" : "[]", MIB)] : problems;
}

function keyProblems(field: string, key: string): readonly FieldProblem[] {
  if (!configKey.test(key)) return [invalidValue(field, key, keyText)];
  if (key === ".") return [invalidValue(field, key, "must not be '.'")];
  return key.startsWith("..") ? [invalidValue(field, key, "must not be '..'")] : [];
}

function selectorProblems(object: KubeObject): readonly FieldProblem[] {
  const selector = objectAt(object, "spec", "selector");
  const labels = objectAt(object, "spec", "template", "metadata", "labels");
  const wanted = Object.entries(objectAt(selector, "matchLabels") ?? {});
  const isMatched = selector !== undefined && wanted.every(([key, value]) => labels?.[key] === value);
  if (isMatched) return [];
  const mismatch = invalidValue(
    "spec.template.metadata.labels",
    labels ?? null,
    "`selector` does not match template `labels`",
  );
  return selector === undefined ? [required("spec.selector"), mismatch] : [mismatch];
}

function strategyProblems(object: KubeObject): readonly FieldProblem[] {
  const strategy = objectAt(object, "spec", "strategy");
  if (strategy?.type !== "Recreate" || strategy.rollingUpdate === undefined) return [];
  const why = "may not be specified when strategy `type` is 'Recreate'";
  return [forbiddenField("spec.strategy.rollingUpdate", why)];
}

function templateProblems(type: ResourceType, object: KubeObject): readonly FieldProblem[] {
  const path = type.templatePath ?? [];
  const field = path.join(".");
  const containers = valueAt(object, ...path, "spec", "containers");
  const volumes = arrayAt(object, ...path, "spec", "volumes").map((volume) => stringAt(volume, "name"));
  const problems: FieldProblem[] = [];
  if (!Array.isArray(containers) || containers.length === 0)
    problems.push(required(`${field}.spec.containers`));
  else {
    containers.forEach((container, at) => {
      if (stringAt(container, "name") === undefined)
        problems.push(required(`${field}.spec.containers[${at}].name`));
      if (stringAt(container, "image") === undefined)
        problems.push(required(`${field}.spec.containers[${at}].image`));
      problems.push(...containerProblems(`${field}.spec.containers[${at}]`, container, volumes));
    });
  }
  const annotations = valueAt(object, ...path, "metadata", "annotations");
  return isJsonObject(annotations)
    ? [...problems, ...annotationProblems(`${field}.metadata.annotations`, annotations)]
    : problems;
}

function containerProblems(
  field: string,
  container: JsonValue,
  volumes: readonly (string | undefined)[],
): readonly FieldProblem[] {
  const variables = arrayAt(container, "env").flatMap((variable, at) =>
    stringAt(variable, "name") === undefined ? [required(`${field}.env[${at}].name`)] : [],
  );
  const mounts = arrayAt(container, "volumeMounts").flatMap((mount, at): FieldProblem[] => {
    const name = stringAt(mount, "name");
    if (volumes.includes(name)) return [];
    return [
      {
        type: "FieldValueNotFound",
        field: `${field}.volumeMounts[${at}].name`,
        message: `Not found: "${name}"`,
      },
    ];
  });
  return [...variables, ...mounts];
}

export function invalidValue(field: string, value: unknown, why: string): FieldProblem {
  return { type: "FieldValueInvalid", field, message: `Invalid value: ${JSON.stringify(value)}: ${why}` };
}

export function required(field: string): FieldProblem {
  return { type: "FieldValueRequired", field, message: "Required value" };
}

export function forbiddenField(field: string, why: string): FieldProblem {
  return { type: "FieldValueForbidden", field, message: `Forbidden: ${why}` };
}

function tooLong(field: string, bytesMax: number): FieldProblem {
  return { type: "FieldValueTooLong", field, message: `Too long: may not be more than ${bytesMax} bytes` };
}
