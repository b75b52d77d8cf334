import { jsonField, jsonList } from "@fleet-reloader/domain/json";
import type { SourceWrite, SourceWriter } from "@fleet-reloader/domain/source/source";
import { seconds, text } from "../json.ts";

const contentFields = ["f:data", "f:binaryData", "f:stringData"];

/** The version of a ConfigMap or Secret, and the field manager that last wrote its content. */
export function sourceWrite(object: unknown): SourceWrite {
  const resourceVersion = text(object, "metadata", "resourceVersion");
  const writers = jsonList(object, "metadata", "managedFields")
    .filter((entry) => contentFields.some((name) => jsonField(entry, "fieldsV1", name) !== undefined))
    .map(
      (entry): SourceWriter => ({
        manager: text(entry, "manager"),
        operation: text(entry, "operation"),
        atSeconds: seconds(entry, "time"),
      }),
    );
  const [first, ...others] = writers;
  if (first === undefined) return { resourceVersion };
  const by = others.reduce((newest, one) => (one.atSeconds >= newest.atSeconds ? one : newest), first);
  return { resourceVersion, by };
}
