import type { StreamEvent } from "@fleet-reloader/engine/ports/source-stream";
import { text } from "../../json.ts";

/** The result of reading the place of a hint. */
export interface ReadObject {
  /** `namespace/name`; `/name` for what is in no namespace. */
  readonly key: string;
  /** Undefined: it is gone. */
  readonly object: unknown;
}

/** An event of what was read; none for an object that is left out. */
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

/** As much of an object as is left when it is gone. No object has this version. */
export function remainderOf(key: string): object {
  const [namespace, name] = partsOf(key);
  return { metadata: { namespace, name, resourceVersion: "0" } };
}
