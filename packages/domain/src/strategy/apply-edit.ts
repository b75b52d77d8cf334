import { isJsonObject, type JsonObject, jsonField, jsonList } from "../json.ts";
import type { TemplateEdit, VariableEdit, VariableRef } from "./edit.ts";
import { mergeNamed } from "./merge-named.ts";

/**
 * What the API server will hold after a strategic merge patch with the edit. A model for prediction and verification; it is never sent. The
 * given template is not changed.
 */
export function applyEdit(template: unknown, edit: TemplateEdit): unknown {
  const annotated = withAnnotations(objectOr(template), edit.annotations ?? {});
  return withVariables(withoutVariables(annotated, edit.removedEnv ?? []), edit.env ?? []);
}

/** Whether a pod template already has the edit, so that applying it would change nothing. */
export function hasEdit(template: unknown, edit: TemplateEdit): boolean {
  const annotations = jsonField(template, "metadata", "annotations");
  const containers = jsonList(template, "spec", "containers");
  return (
    Object.entries(edit.annotations ?? {}).every(([key, value]) => jsonField(annotations, key) === value) &&
    (edit.env ?? []).every(({ container, name, value }) => {
      const variables = jsonList(findNamed(containers, container), "env");
      return jsonField(findNamed(variables, name), "value") === value;
    }) &&
    (edit.removedEnv ?? []).every(({ container, name }) => {
      const variables = jsonList(findNamed(containers, container), "env");
      return findNamed(variables, name) === undefined;
    })
  );
}

function withAnnotations(template: JsonObject, annotations: Readonly<Record<string, string>>): JsonObject {
  if (Object.keys(annotations).length === 0) return template;
  const metadata = objectOr(jsonField(template, "metadata"));
  const existing = objectOr(jsonField(metadata, "annotations"));
  return { ...template, metadata: { ...metadata, annotations: { ...existing, ...annotations } } };
}

function withVariables(template: JsonObject, env: readonly VariableEdit[]): JsonObject {
  if (env.length === 0) return template;
  const spec = objectOr(jsonField(template, "spec"));
  const patches = Map.groupBy(env, ({ container }) => container);
  const containers = mergeNamed(jsonList(spec, "containers"), [...patches.keys()], (container, name) => {
    const values = new Map(patches.get(name)?.map((variable) => [variable.name, variable.value]));
    const variables = mergeNamed(jsonList(container, "env"), [...values.keys()], (variable, key) => {
      return { ...variable, value: values.get(key) };
    });
    return { ...container, env: variables };
  });
  return { ...template, spec: { ...spec, containers } };
}

function withoutVariables(template: JsonObject, removed: readonly VariableRef[]): JsonObject {
  if (removed.length === 0) return template;
  const spec = objectOr(jsonField(template, "spec"));
  const containers = jsonList(spec, "containers").map((container) => {
    const gone = removed.filter((variable) => variable.container === jsonField(container, "name"));
    if (gone.length === 0 || !isJsonObject(container) || !Object.hasOwn(container, "env")) return container;
    const { env, ...others } = container;
    const kept = jsonList(env).filter((item) => !gone.some(({ name }) => name === jsonField(item, "name")));
    // The API server stores no empty list.
    return kept.length === 0 ? others : { ...container, env: kept };
  });
  return { ...template, spec: { ...spec, containers } };
}

function findNamed(items: readonly unknown[], name: string): unknown {
  return items.find((item) => jsonField(item, "name") === name);
}

function objectOr(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
