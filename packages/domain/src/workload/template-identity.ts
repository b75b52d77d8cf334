import { markAnnotation } from "../annotation/own-keys.ts";
import { lastReloadedFromAnnotation } from "../compat/last-reloaded-from.ts";
import { isCompatVariableName } from "../compat/variable-name.ts";
import { isJsonObject, jsonField } from "../json.ts";

/**
 * A text that is equal for two pod templates exactly when they differ in nothing but edits by us and by the peer. It leaves out our and the
 * peer's annotations and `STAKATER_` variables; the rest is JSON with sorted keys. The order of object keys does not matter, the order of lists
 * does. Null counts as absent, and so do empty variables, annotations and metadata: that is how they look when an edit was the only thing in
 * them.
 *
 * The text is long and may hold literal values of variables: digest it, and store it nowhere.
 */
export function templateIdentity(template: unknown): string {
  return canonicalJson(withoutEdits(template));
}

const editedAnnotations: ReadonlySet<string> = new Set([markAnnotation, lastReloadedFromAnnotation]);

function withoutEdits(template: unknown): unknown {
  const annotated = withField(template, "metadata", (metadata) =>
    unlessEmpty(withField(metadata, "annotations", withoutEditedAnnotations)),
  );
  return withField(annotated, "spec", (spec) =>
    ["containers", "initContainers", "ephemeralContainers"].reduce(
      (edited, field) => withField(edited, field, withoutEditedVariables),
      spec,
    ),
  );
}

function withoutEditedAnnotations(annotations: unknown): unknown {
  if (!isJsonObject(annotations)) return annotations;
  return unlessEmpty(
    Object.fromEntries(Object.entries(annotations).filter(([key]) => !editedAnnotations.has(key))),
  );
}

function withoutEditedVariables(containers: unknown): unknown {
  if (!Array.isArray(containers)) return containers;
  return containers.map((container: unknown) =>
    withField(container, "env", (env) => {
      if (!Array.isArray(env)) return env;
      const kept = env.filter((variable: unknown) => !isEditedVariable(variable));
      return kept.length === 0 ? undefined : kept;
    }),
  );
}

function isEditedVariable(variable: unknown): boolean {
  const name = jsonField(variable, "name");
  return typeof name === "string" && isCompatVariableName(name);
}

/** A copy with one field changed, if it is an object that has the field. `undefined` takes the field away. */
function withField(value: unknown, name: string, change: (field: unknown) => unknown): unknown {
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return value;
  return { ...value, [name]: change(value[name]) };
}

/** Undefined for an object whose fields are all absent: it counts as absent itself. */
function unlessEmpty(value: unknown): unknown {
  return isJsonObject(value) && Object.values(value).every(isAbsent) ? undefined : value;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Optimised, because it runs over the template of every workload that is reconciled. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  let fields = "";
  for (const key of Object.keys(value).sort()) {
    const field = value[key];
    if (isAbsent(field)) continue;
    fields += `${fields === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return `{${fields}}`;
}
