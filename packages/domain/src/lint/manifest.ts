import { jsonField, jsonText, jsonTexts } from "../json.ts";
import type { Annotations } from "../workload/workload.ts";

/** A place in a file, counted from 1 as editors do. */
export interface ManifestPosition {
  readonly line: number;
  readonly column: number;
}

/** Names of fields and indexes of lists, starting at the object. */
export type ManifestPath = readonly (string | number)[];

/** One object of a file, with the places of its fields. */
export interface LintManifest {
  readonly file: string;
  readonly object: unknown;
  /** The place of the value at the path. If the file has no such value, the place of its nearest parent. */
  readonly positionOf: (path: ManifestPath) => ManifestPosition;
}

/** The fields of an object that every rule reads. A missing field is `""`. */
export interface ManifestHead {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Annotations;
}

export function manifestHead(object: unknown): ManifestHead {
  const metadata = jsonField(object, "metadata");
  const apiVersion = jsonText(jsonField(object, "apiVersion")) ?? "";
  return {
    group: apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "",
    kind: jsonText(jsonField(object, "kind")) ?? "",
    namespace: jsonText(jsonField(metadata, "namespace")) ?? "",
    name: jsonText(jsonField(metadata, "name")) ?? "",
    annotations: jsonTexts(jsonField(metadata, "annotations")),
  };
}

/** `Deployment team/api`, or `Deployment api` where the file names no namespace. */
export function manifestLabel({ kind, name, namespace }: ManifestHead): string {
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${name}`;
}

/** Whether two objects may be in one namespace. A file often leaves the namespace to the tool that applies it. */
export function isSameNamespace(a: string, b: string): boolean {
  return a === b || a === "" || b === "";
}

/** A value below an object; undefined when a part of the path is missing. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  return jsonField(object, ...path);
}
