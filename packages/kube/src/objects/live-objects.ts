import { managedFieldsOf } from "@fleet-reloader/domain/evidence/managed-fields";
import { freezeAnnotation, frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import { jsonField, jsonList } from "@fleet-reloader/domain/json";
import type { SourceContent, SourceKind, SourceRef, SourceWrite } from "@fleet-reloader/domain/source/source";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { LiveSource, LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import type { SourceVersion } from "@fleet-reloader/engine/ports/reference-index";
import type { LabelledNamespace } from "@fleet-reloader/engine/watch/namespace-watch";
import { seconds, stringMap, text } from "../json.ts";

/** Helm's releases are often the bulk of all Secrets. The type of a Secret cannot change. */
export const helmReleaseType = "helm.sh/release.v1";

/** A ConfigMap or Secret as a metadata-only watch shows it. */
export function sourceVersion(kind: SourceKind, object: unknown): SourceVersion | undefined {
  const namespace = text(object, "metadata", "namespace");
  const name = text(object, "metadata", "name");
  const resourceVersion = text(object, "metadata", "resourceVersion");
  if (namespace === "" || name === "" || resourceVersion === "") return undefined;
  const version = { ref: { kind, namespace, name }, resourceVersion };
  return isFrozen(object) ? { ...version, isFrozen: true } : version;
}

/** Does not copy the annotations: there are many sources, and hardly one is frozen. */
function isFrozen(object: unknown): boolean {
  const text = jsonField(object, "metadata", "annotations", freezeAnnotation);
  return typeof text === "string" && frozenByAnnotation({ [freezeAnnotation]: text }) !== undefined;
}

/** A ConfigMap or Secret as it is read. */
export function liveSource(ref: SourceRef, object: unknown): LiveSource {
  const createdAtSeconds = seconds(object, "metadata", "creationTimestamp");
  const write = sourceWrite(object);
  const isNotWatched = ref.kind === "Secret" && text(object, "type") === helmReleaseType;
  const writtenAtSeconds = Math.max(createdAtSeconds, write.by?.atSeconds ?? 0);
  return {
    ref,
    annotations: stringMap(object, "metadata", "annotations"),
    labels: stringMap(object, "metadata", "labels"),
    createdAtSeconds,
    writtenAtSeconds,
    isModified: writtenAtSeconds > createdAtSeconds,
    resourceVersion: write.resourceVersion,
    // No watch shows a change of it.
    content: isNotWatched ? undefined : sourceContent(ref.kind, object),
    write,
  };
}

/** The bytes of a ConfigMap or Secret, decoded as a pod would see them. */
function sourceContent(kind: SourceKind, object: unknown): SourceContent {
  if (kind === "Secret") return { data: decode(stringMap(object, "data"), "base64"), binaryData: new Map() };
  return {
    data: decode(stringMap(object, "data"), "utf8"),
    binaryData: decode(stringMap(object, "binaryData"), "base64"),
  };
}

function decode(
  values: Readonly<Record<string, string>>,
  encoding: "utf8" | "base64",
): Map<string, Uint8Array> {
  return new Map(Object.entries(values).map(([key, value]) => [key, Buffer.from(value, encoding)]));
}

const contentFields = ["data", "binaryData", "stringData"];

/** The version of a ConfigMap or Secret, and the field manager that last wrote its content. */
function sourceWrite(object: unknown): SourceWrite {
  const resourceVersion = text(object, "metadata", "resourceVersion");
  const [first, ...others] = managedFieldsOf(object).filter(({ owns }) =>
    contentFields.some((name) => owns(name)),
  );
  if (first === undefined) return { resourceVersion };
  const { manager, operation, atSeconds } = others.reduce(
    (newest, one) => (one.atSeconds >= newest.atSeconds ? one : newest),
    first,
  );
  return { resourceVersion, by: { manager, operation, atSeconds } };
}

/** A namespace as a metadata-only watch shows it. */
export function labelledNamespace(object: unknown): LabelledNamespace | undefined {
  const name = text(object, "metadata", "name");
  return name === "" ? undefined : { name, labels: stringMap(object, "metadata", "labels") };
}

/** A workload with its own pod template, wherever its kind has it. */
export function liveWorkload(kind: WorkloadKind, object: unknown): LiveWorkload | undefined {
  const namespace = text(object, "metadata", "namespace");
  const name = text(object, "metadata", "name");
  if (namespace === "" || name === "") return undefined;
  const createdAtSeconds = seconds(object, "metadata", "creationTimestamp");
  return {
    ref: { kind: kind.kind, namespace, name },
    uid: text(object, "metadata", "uid"),
    resourceVersion: text(object, "metadata", "resourceVersion"),
    generation: Number(jsonField(object, "metadata", "generation") ?? 0),
    annotations: stringMap(object, "metadata", "annotations"),
    templateAnnotations: stringMap(object, ...kind.templatePath, "metadata", "annotations"),
    template: jsonField(object, ...kind.templatePath),
    object,
    createdAtSeconds,
    templateChangedAtSeconds: Math.max(createdAtSeconds, ...templateTimes(kind, object)),
    writtenAtSeconds: Math.max(createdAtSeconds, ...writeTimes(object)),
    isPaused: jsonField(object, "spec", "paused") === true,
    isDeleting: text(object, "metadata", "deletionTimestamp") !== "",
  };
}

function writeTimes(object: unknown): readonly number[] {
  return jsonList(object, "metadata", "managedFields").map((entry) => seconds(entry, "time"));
}

function templateTimes({ templatePath }: WorkloadKind, object: unknown): readonly number[] {
  const fields = templatePath.map((name) => `f:${name}`);
  return jsonList(object, "metadata", "managedFields")
    .filter((entry) => jsonField(entry, "fieldsV1", ...fields) !== undefined)
    .map((entry) => seconds(entry, "time"));
}
