import { arrayAt, type JsonObject, type JsonValue, numberAt, objectAt, stringAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { ResourceType } from "../objects/resource-types.ts";

interface Column {
  readonly name: string;
  readonly type: "string" | "integer";
  readonly cell: (object: KubeObject) => JsonValue;
}

/** The rows that `kubectl get` prints; the columns most people look at, not all of the real ones. */
export function columnsOf(type: ResourceType): readonly JsonObject[] {
  return columns(type).map(({ name, type: columnType }) => ({
    name,
    type: columnType,
    format: name === "Name" ? "name" : "",
    description: "",
    priority: 0,
  }));
}

export function rowOf(type: ResourceType, object: KubeObject): JsonObject {
  return { cells: columns(type).map((column) => column.cell(object)) };
}

const nameColumn: Column = { name: "Name", type: "string", cell: (object) => object.metadata.name };
const ageColumn: Column = {
  name: "Age",
  type: "string",
  cell: (object) => age(object.metadata.creationTimestamp),
};

function columns(type: ResourceType): readonly Column[] {
  return [nameColumn, ...(kindColumns.get(type.kind) ?? []), ageColumn];
}

function text(name: string, ...path: readonly string[]): Column {
  return { name, type: "string", cell: (object) => stringAt(object, ...path) ?? "<none>" };
}

function count(name: string, ...path: readonly string[]): Column {
  return { name, type: "integer", cell: (object) => numberAt(object, ...path) ?? 0 };
}

function size(name: string, field: string): Column {
  return { name, type: "integer", cell: (object) => Object.keys(objectAt(object, field) ?? {}).length };
}

const ready: Column = {
  name: "Ready",
  type: "string",
  cell: (object) =>
    `${numberAt(object, "status", "readyReplicas") ?? 0}/${numberAt(object, "spec", "replicas") ?? 0}`,
};

const dataSize: Column = {
  name: "Data",
  type: "integer",
  cell: (object) =>
    Object.keys(objectAt(object, "data") ?? {}).length +
    Object.keys(objectAt(object, "binaryData") ?? {}).length,
};

const kindColumns = new Map<string, readonly Column[]>([
  ["Namespace", [text("Status", "status", "phase")]],
  ["ConfigMap", [dataSize]],
  ["Secret", [text("Type", "type"), size("Data", "data")]],
  ["Pod", [text("Status", "status", "phase")]],
  [
    "Event",
    [
      text("Type", "type"),
      text("Reason", "reason"),
      text("Object", "involvedObject", "name"),
      text("Message", "message"),
    ],
  ],
  [
    "Deployment",
    [
      ready,
      count("Up-to-date", "status", "updatedReplicas"),
      count("Available", "status", "availableReplicas"),
    ],
  ],
  [
    "ReplicaSet",
    [
      count("Desired", "spec", "replicas"),
      count("Current", "status", "replicas"),
      count("Ready", "status", "readyReplicas"),
    ],
  ],
  ["StatefulSet", [ready]],
  [
    "DaemonSet",
    [
      count("Desired", "status", "desiredNumberScheduled"),
      count("Current", "status", "currentNumberScheduled"),
      count("Ready", "status", "numberReady"),
      count("Up-to-date", "status", "updatedNumberScheduled"),
      count("Available", "status", "numberAvailable"),
    ],
  ],
  [
    "ControllerRevision",
    [{ name: "Revision", type: "integer", cell: (object) => numberAt(object, "revision") ?? 0 }],
  ],
  [
    "Job",
    [
      {
        name: "Status",
        type: "string",
        cell: (object) => stringAt(arrayAt(object, "status", "conditions").at(-1), "type") ?? "Running",
      },
      {
        name: "Completions",
        type: "string",
        cell: (object) =>
          `${numberAt(object, "status", "succeeded") ?? 0}/${numberAt(object, "spec", "completions") ?? 1}`,
      },
    ],
  ],
  [
    "CronJob",
    [
      text("Schedule", "spec", "schedule"),
      {
        name: "Suspend",
        type: "string",
        cell: (object) => String(objectAt(object, "spec")?.suspend ?? false),
      },
    ],
  ],
]);

/** As kubectl words it: `12s`, `5m`, `3h`, `2d`. */
function age(created: string): string {
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(created)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
