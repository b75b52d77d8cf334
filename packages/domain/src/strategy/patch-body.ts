import { isJsonObject, type JsonObject, jsonField, jsonList } from "../json.ts";
import type { WorkloadKind } from "../workload/workload-kind.ts";
import { applyEdit } from "./apply-edit.ts";
import type { TemplateEdit } from "./edit.ts";

/** What a patch of a workload changes. */
export interface PatchChange {
  readonly resourceVersion: string;
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly template?: TemplateEdit;
  /** The template of the same resourceVersion that the edit was made for. */
  readonly templateBefore?: unknown;
  readonly isPaused?: boolean;
  /** Other fields, from the root of the object. */
  readonly fields?: JsonObject;
}

/** The body of a conditional patch: the API server answers 409 if anything has changed since this resourceVersion. */
export function patchBody(
  kind: Pick<WorkloadKind, "patch" | "templatePath">,
  change: PatchChange,
): JsonObject {
  const { resourceVersion, annotations, template, templateBefore, isPaused, fields = {} } = change;
  const pause = isPaused === undefined ? {} : { spec: { paused: isPaused } };
  const body = merged({ metadata: { resourceVersion, annotations }, ...fields }, pause);
  if (template === undefined) return body;
  return merged(
    body,
    nested(kind.templatePath, {
      ...(template.annotations === undefined ? {} : { metadata: { annotations: template.annotations } }),
      ...containersOf(kind.patch, template, templateBefore),
    }),
  );
}

function containersOf(patch: WorkloadKind["patch"], edit: TemplateEdit, before: unknown): JsonObject {
  const { env = [], removedEnv = [] } = edit;
  if (env.length + removedEnv.length === 0) return {};
  // A merge patch replaces lists, so all containers are sent in full. The resourceVersion keeps the patch from undoing other writes.
  if (patch === "merge") {
    const after = applyEdit(before, { env, removedEnv });
    return { spec: { containers: jsonField(after, "spec", "containers") } };
  }
  // A strategic merge orders lists like the patch: containers are listed in their present order, variables in the order of the edit.
  const places = jsonList(before, "spec", "containers").map((container) => jsonField(container, "name"));
  const changes = [
    ...env.map(({ container, name, value }) => ({ container, change: { name, value } })),
    ...removedEnv.map(({ container, name }) => ({ container, change: { name, $patch: "delete" } })),
  ].sort((a, b) => places.indexOf(a.container) - places.indexOf(b.container));
  const containers = [...Map.groupBy(changes, ({ container }) => container)].map(([name, inIt]) => ({
    name,
    env: inIt.map(({ change }) => change),
  }));
  return { spec: { containers } };
}

function nested(path: readonly string[], value: JsonObject): JsonObject {
  return path.reduceRight<JsonObject>((inner, field) => ({ [field]: inner }), value);
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
  const entries = Object.entries(other).map(([key, value]) => {
    const mine = one[key];
    return [key, isJsonObject(mine) && isJsonObject(value) ? merged(mine, value) : value] as const;
  });
  return { ...one, ...Object.fromEntries(entries) };
}
