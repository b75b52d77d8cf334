import type { JsonObject } from "../json.ts";
import type { WorkloadRef } from "../workload/workload.ts";
import type { TemplateEdit } from "./edit.ts";

/** How a roll is written, as data. The applied state is written with the roll or after it, never before: an unrecorded roll is repeated. */
export type RollWrite =
  /** The pod template, and the applied state in the same conditional patch. */
  | { readonly type: "template"; readonly edit: TemplateEdit }
  /** Other fields of the workload, and the applied state in the same conditional patch. `fields` undefined: they are written already. */
  | { readonly type: "fields"; readonly fields: JsonObject | undefined }
  /**
   * The pod template of the object that the workload refers to, with these annotations of that object; then the applied state. `edit` undefined:
   * the template is written already.
   */
  | {
      readonly type: "referenced-template";
      readonly owner: WorkloadRef;
      readonly resourceVersion: string;
      readonly annotations: Readonly<Record<string, string>>;
      readonly edit: TemplateEdit | undefined;
    }
  /**
   * A new object, then the applied state with these annotations. An object of the same name is the same object. `made` undefined: it exists
   * already.
   */
  | {
      readonly type: "create";
      readonly made: NewObject | undefined;
      readonly annotations: Readonly<Record<string, string>>;
    }
  /** The workload is deleted and recreated from this stash. */
  | { readonly type: "replace"; readonly stash: NewObject };

/** Whether an earlier attempt has already rolled the pods, so that only the applied state is left to write. */
export function isMade(write: RollWrite): boolean {
  return (
    (write.type === "fields" && write.fields === undefined) ||
    (write.type === "referenced-template" && write.edit === undefined) ||
    (write.type === "create" && write.made === undefined)
  );
}

/** The object whose version the write depends on: after any change of it the API server refuses the write. Undefined: it depends on none. */
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
