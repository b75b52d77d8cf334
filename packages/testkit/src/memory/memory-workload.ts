import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { madeOnce } from "@fleet-reloader/domain/made-once";
import type { Annotations, WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
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
  /** What managedFields say, too. */
  readonly managers: Readonly<Record<string, Manager>>;
}

/** What a field manager owns, and when it last wrote anything. */
interface Manager {
  readonly atSeconds: number;
  readonly ownsTemplate: boolean;
  readonly annotations: readonly string[];
}

/** A write by somebody: of the template, of annotations (null removes one), of other fields, or of all of them. */
export interface WorkloadChange {
  readonly fields?: object;
  readonly template?: unknown;
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly isPaused?: boolean;
  readonly by: "us" | "people";
  /** The field manager; one for us and one for people when absent. */
  readonly manager?: string;
}

/** What the API server makes of a write; the same object when nothing is different: that is not even stored. */
export function writtenWorkload(
  ref: WorkloadRef,
  before: StoredWorkload | undefined,
  change: WorkloadChange,
  server: { readonly nowSeconds: number; readonly nextVersion: () => string },
): StoredWorkload {
  const annotations = withoutNulls({ ...before?.annotations, ...change.annotations });
  const others =
    before !== undefined && change.fields === undefined
      ? before.object
      : applyJsonMerge(before?.object ?? {}, jsonOf(change.fields));
  const template = change.template ?? before?.template;
  const isTemplateChanged = !isSame(template, before?.template);
  const isPaused = change.isPaused ?? before?.isPaused ?? false;
  const isOtherwiseSameAs = (stored: StoredWorkload) =>
    isPaused === stored.isPaused && isSame(annotations, stored.annotations) && isSame(others, stored.object);
  if (before !== undefined && !isTemplateChanged && isOtherwiseSameAs(before)) return before;
  const managers = managersAfter(before, { ...change, isTemplateChanged, annotations }, server.nowSeconds);
  const templateTimes = Object.values(managers).flatMap((one) => (one.ownsTemplate ? [one.atSeconds] : []));
  const createdAtSeconds = before?.createdAtSeconds ?? server.nowSeconds;
  const resourceVersion = server.nextVersion();
  const uid = before?.uid ?? `uid-${resourceVersion}`;
  const isSpecChanged =
    isTemplateChanged || !isSame(objectAt(others, "spec"), objectAt(before?.object, "spec"));
  const generation = (before?.generation ?? 0) + (isSpecChanged ? 1 : 0);
  const managedFields = Object.entries(managers).map(managedFieldsOf);
  const metadata = {
    ...{ ...objectAt(others, "metadata"), ...ref, uid, resourceVersion, generation },
    ...{ annotations, managedFields },
    creationTimestamp: timeText(createdAtSeconds),
  };
  const isPauseTold = isPaused || before?.isPaused === true;
  const spec = isPauseTold ? { spec: { ...objectAt(others, "spec"), paused: isPaused } } : {};
  const object = { ...others, metadata, ...spec };
  const hasTemplate = before !== undefined && others === before.object && !isTemplateChanged;
  return {
    ref,
    uid,
    resourceVersion,
    object: hasTemplate ? object : withPath(object, templatePathOf(ref.kind), jsonOf(template)),
    generation,
    annotations,
    templateAnnotations: templateAnnotationsOf(template),
    template,
    createdAtSeconds,
    templateChangedAtSeconds: Math.max(createdAtSeconds, ...templateTimes),
    writtenAtSeconds: server.nowSeconds,
    isPaused,
    isDeleting: false,
    managers,
  };
}

/** With a status of its controller; like the real ones it says which generation that is about. */
export function withStatus(workload: StoredWorkload, status: object): StoredWorkload {
  const { generation } = workload;
  const object = { ...workload.object, status: { observedGeneration: generation, ...status } };
  return { ...workload, object };
}

function managersAfter(
  before: StoredWorkload | undefined,
  change: WorkloadChange & { readonly annotations: Annotations; readonly isTemplateChanged: boolean },
  nowSeconds: number,
): Readonly<Record<string, Manager>> {
  const name = change.manager ?? (change.by === "us" ? "Reloader" : "people");
  const written = Object.keys(change.annotations).filter(
    (key) => change.annotations[key] !== before?.annotations[key],
  );
  const others = Object.entries(before?.managers ?? {}).map(([manager, owned]) => {
    const isOwner = manager === name;
    const annotations = owned.annotations.filter(
      (key) => Object.hasOwn(change.annotations, key) && (isOwner || !written.includes(key)),
    );
    const isLess = annotations.length < owned.annotations.length;
    return [manager, isLess ? { ...owned, annotations } : owned] as const;
  });
  const own = before?.managers[name];
  const after: Manager = {
    atSeconds: nowSeconds,
    ownsTemplate: change.isTemplateChanged || own?.ownsTemplate === true,
    annotations: [
      ...new Set([
        ...(own?.annotations ?? []).filter((key) => Object.hasOwn(change.annotations, key)),
        ...written,
      ]),
    ],
  };
  return { ...Object.fromEntries(others), [name]: after };
}

const entries = new WeakMap<Manager, ReturnType<typeof managedFieldsEntry>>();

/** Most of the managers of an object are not the one that writes it: they are as they were. */
function managedFieldsOf([name, manager]: readonly [string, Manager]) {
  const known = entries.get(manager);
  if (known !== undefined) return known;
  const entry = managedFieldsEntry(name, manager);
  entries.set(manager, entry);
  return entry;
}

/** Kubernetes' fieldsV1, as far as we read them; only `f:spec.f:template` stands for the template of every kind. */
function managedFieldsEntry(manager: string, { atSeconds, ownsTemplate, annotations }: Manager) {
  const owned = Object.fromEntries(annotations.map((key) => [`f:${key}`, {}]));
  return {
    ...{ manager, operation: "Update", time: timeText(atSeconds), fieldsType: "FieldsV1" },
    fieldsV1: {
      "f:metadata": { "f:annotations": owned },
      ...(ownsTemplate ? { "f:spec": { "f:template": {} } } : {}),
    },
  };
}

const times = new Map<number, string>();
const timesMax = 10_000;

/** As the API server writes a time. */
export function timeText(seconds: number): string {
  const known = times.get(seconds);
  if (known !== undefined) return known;
  const text = `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
  if (times.size < timesMax) times.set(seconds, text);
  return text;
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

/** A controller finds its pods by the labels of their template. */
export function withSelector({ fields, template }: Omit<WorkloadChange, "by">): { readonly fields: object } {
  const matchLabels = objectAt(jsonOf(template), "metadata", "labels") ?? {};
  return { fields: applyJsonMerge(jsonOf(fields), { spec: { selector: { matchLabels } } }) };
}

function templatePathOf(kind: string): readonly string[] {
  return knownKinds.find((known) => known.kind === kind)?.templatePath ?? ["spec", "template"];
}

function jsonOf(value: unknown): JsonObject {
  const text = jsonText(value);
  if (text === undefined) return {};
  const copy: unknown = JSON.parse(text);
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
  return a === b || jsonText(a) === jsonText(b);
}

const textOf = madeOnce((value: object): string => JSON.stringify(value));

/** As `JSON.stringify` writes it. What is stored never changes: each object is written once. */
export function jsonText(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? textOf(value) : JSON.stringify(value);
}
