import { freezeAnnotation, frozenByAnnotation } from "@fleet-reloader/domain/hold/freeze";
import { jsonField, jsonList } from "@fleet-reloader/domain/json";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import type { SourceVersion } from "@fleet-reloader/engine/ports/reference-index";
import type { LabelledNamespace } from "@fleet-reloader/engine/watch/namespace-watch";
import { seconds, stringMap, text } from "../json.ts";

/** A ConfigMap or Secret as a metadata-only watch shows it. */
export function sourceVersion(kind: SourceKind, object: unknown): SourceVersion | undefined {
  const namespace = text(object, "metadata", "namespace");
  const name = text(object, "metadata", "name");
  const resourceVersion = text(object, "metadata", "resourceVersion");
  if (namespace === "" || name === "" || resourceVersion === "") return undefined;
  const version = { ref: { kind, namespace, name }, resourceVersion };
  return isFrozen(object) ? { ...version, isFrozen: true } : version;
}

/** Without a copy of the annotations: there are many sources, and hardly one of them is frozen. */
function isFrozen(object: unknown): boolean {
  const text = jsonField(object, "metadata", "annotations", freezeAnnotation);
  return typeof text === "string" && frozenByAnnotation({ [freezeAnnotation]: text }) !== undefined;
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
