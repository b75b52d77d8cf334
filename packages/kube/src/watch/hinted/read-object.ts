import type { StreamEvent } from "@fleet-reloader/engine/ports/source-stream";
import { text } from "../../json.ts";

/** The result of reading the place of a hint. */
export interface ReadObject {
  /** `namespace/name`; `/name` for a cluster-scoped object. */
  readonly key: string;
  /** Undefined: it does not exist any more. */
  readonly object: unknown;
}

/** The event of a read; none for an object that is left out. */
export function eventsOf<T>(type: StreamEvent<T>["type"], object: T | undefined): readonly StreamEvent<T>[] {
  if (object === undefined) return [];
  // An object that was not seen before may be new, as in a list.
  return type === "delete" ? [{ type, object }] : [{ type, object, isNew: true }];
}

export function keyOf(object: unknown): string {
  return `${text(object, "metadata", "namespace")}/${text(object, "metadata", "name")}`;
}

export function partsOf(key: string): readonly [namespace: string, name: string] {
  const [namespace = "", name = ""] = key.split("/");
  return [namespace, name];
}

/** The minimum of an object that is gone. No object has this version. */
export function remainderOf(key: string): object {
  const [namespace, name] = partsOf(key);
  return { metadata: { namespace, name, resourceVersion: "0" } };
}
