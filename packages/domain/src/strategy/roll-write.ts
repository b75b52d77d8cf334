import type { JsonObject } from "../json.ts";
import type { WorkloadRef } from "../workload/workload.ts";
import type { TemplateEdit } from "./edit.ts";

/** How a roll is written, as data. The note is written with it or after it, never before: what is not noted is done again. */
export type RollWrite =
  /** The pod template, the note in the same conditional patch. */
  | { readonly type: "template"; readonly edit: TemplateEdit }
  /** Other fields of the workload, the note in the same conditional patch. `fields` undefined: they are there already. */
  | { readonly type: "fields"; readonly fields: JsonObject | undefined }
  /** The pod template of the object the workload refers to, with these annotations of that object, then the note. `edit` undefined: it is there already. */
  | {
      readonly type: "referenced-template";
      readonly owner: WorkloadRef;
      readonly resourceVersion: string;
      readonly annotations: Readonly<Record<string, string>>;
      readonly edit: TemplateEdit | undefined;
    }
  /** A new object, then the note with these annotations. One of the same name is the same object. `made` undefined: it is there already. */
  | {
      readonly type: "create";
      readonly made: NewObject | undefined;
      readonly annotations: Readonly<Record<string, string>>;
    }
  /** The workload is made anew, with this stash to make it from. */
  | { readonly type: "replace"; readonly stash: NewObject };

/** Whether the pods are made anew already, by an attempt that came no further: what is left to write is a note. */
export function isMade(write: RollWrite): boolean {
  return (
    (write.type === "fields" && write.fields === undefined) ||
    (write.type === "referenced-template" && write.edit === undefined) ||
    (write.type === "create" && write.made === undefined)
  );
}

/** The object whose version the write depends on: after any change of it the write is refused. Undefined: it depends on none. */
export function conditionalOn(write: RollWrite, workload: WorkloadRef): WorkloadRef | undefined {
  switch (write.type) {
    case "create":
      return undefined;
    case "referenced-template":
      return write.owner;
    default:
      return workload;
  }
}

/** An object to be created, and its identity. */
export interface NewObject {
  readonly ref: WorkloadRef;
  readonly object: JsonObject;
}
