import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import type { Annotations, WorkloadRef } from "@fleet-reloader/domain/workload";
import type { LiveWorkload } from "@fleet-reloader/engine/cluster-api";
import {
  isJsonObject,
  type JsonObject,
  objectAt,
  stringAt,
  valueAt,
  withPath,
} from "../sim-api/objects/json.ts";
import { applyJsonMerge } from "../sim-api/patch/json-merge.ts";

export interface StoredWorkload extends LiveWorkload {
  readonly object: JsonObject;
  /** Like managedFields: who owns a part of the pod template, and when each last wrote anything. */
  readonly templateOwners: Readonly<Record<string, number>>;
}

/** A write by somebody: of the template, of annotations (null removes one), of other fields, or of all of them. */
export interface WorkloadChange {
  readonly fields?: object;
  readonly template?: unknown;
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly isPaused?: boolean;
  readonly by: "us" | "people";
}

/** What the API server makes of a write; the same object when nothing is different: that is not even stored. */
export function writtenWorkload(
  ref: WorkloadRef,
  before: StoredWorkload | undefined,
  change: WorkloadChange,
  server: { readonly nowSeconds: number; readonly nextVersion: () => string },
): StoredWorkload {
  const annotations = withoutNulls({ ...before?.annotations, ...change.annotations });
  const others = applyJsonMerge(before?.object ?? {}, jsonOf(change.fields));
  const template = change.template ?? before?.template;
  const isTemplateChanged = !isSame(template, before?.template);
  const isPaused = change.isPaused ?? before?.isPaused ?? false;
  const isOtherwiseSame =
    isPaused === before?.isPaused && isSame(annotations, before.annotations) && isSame(others, before.object);
  if (before !== undefined && !isTemplateChanged && isOtherwiseSame) return before;
  const owned = before?.templateOwners ?? {};
  const ownsTemplate = isTemplateChanged || Object.hasOwn(owned, change.by);
  const templateOwners = ownsTemplate ? { ...owned, [change.by]: server.nowSeconds } : owned;
  const resourceVersion = server.nextVersion();
  const uid = before?.uid ?? `uid-${resourceVersion}`;
  const metadata = { ...objectAt(others, "metadata"), ...ref, uid, resourceVersion, annotations };
  const isPauseTold = isPaused || before?.isPaused === true;
  const spec = isPauseTold ? { spec: { ...objectAt(others, "spec"), paused: isPaused } } : {};
  return {
    ref,
    uid,
    resourceVersion,
    object: withPath({ ...others, metadata, ...spec }, templatePathOf(ref.kind), jsonOf(template)),
    generation: (before?.generation ?? 0) + (isTemplateChanged ? 1 : 0),
    annotations,
    templateAnnotations: templateAnnotationsOf(template),
    template,
    createdAtSeconds: before?.createdAtSeconds ?? server.nowSeconds,
    templateChangedAtSeconds: Math.max(...Object.values(templateOwners)),
    isPaused,
    isDeleting: false,
    templateOwners,
  };
}

/** The change that makes a workload out of a manifest. */
export function changeOf(manifest: object, ref: WorkloadRef): Omit<WorkloadChange, "by"> {
  const object = jsonOf(manifest);
  const annotations = objectAt(object, "metadata", "annotations") ?? {};
  const entries = Object.keys(annotations).map((key) => [key, stringAt(annotations, key) ?? ""] as const);
  return {
    fields: object,
    annotations: Object.fromEntries(entries),
    template: valueAt(object, ...templatePathOf(ref.kind)),
  };
}

function templatePathOf(kind: string): readonly string[] {
  return knownKinds.find((known) => known.kind === kind)?.templatePath ?? ["spec", "template"];
}

function jsonOf(value: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(value ?? {}));
  return isJsonObject(copy) ? copy : {};
}

function withoutNulls(annotations: Readonly<Record<string, string | null>>): Annotations {
  const kept = Object.entries(annotations).filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries(kept);
}

function templateAnnotationsOf(template: unknown): Annotations {
  const { metadata } = Object(template);
  return { ...Object(metadata).annotations };
}

export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
