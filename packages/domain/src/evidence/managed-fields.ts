import { isJsonObject, jsonField, jsonList, jsonText } from "../json.ts";

/** What one field manager owns of an object, and when it last wrote any of that (whole seconds, the API server's clock). */
export interface ManagedFields {
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  readonly atSeconds: number;
  owns(...path: readonly string[]): boolean;
}

/**
 * The entries of `metadata.managedFields`. Each write of a manager that sets or changes a field it then owns updates its time. So the time is an
 * upper bound for each of its fields (kubernetes/kubernetes, managedfields/internal/managedfieldsupdater.go).
 */
export function managedFieldsOf(object: unknown): readonly ManagedFields[] {
  return jsonList(jsonField(jsonField(object, "metadata"), "managedFields")).map((entry) => {
    const fields = jsonField(entry, "fieldsV1");
    return {
      manager: jsonText(entry, "manager") ?? "",
      operation: jsonText(entry, "operation") ?? "",
      // Asked of few of them.
      get atSeconds() {
        return secondsOf(jsonField(entry, "time"));
      },
      owns: (...path) => hasField(fields, path),
    };
  });
}

/** The managers that own a field. Cheaper than `managedFieldsOf` when no time is needed. */
export function ownersOf(object: unknown, ...path: readonly string[]): readonly string[] {
  return jsonList(object, "metadata", "managedFields").flatMap((entry) =>
    hasField(jsonField(entry, "fieldsV1"), path) ? [jsonText(entry, "manager") ?? ""] : [],
  );
}

/** Called for each manager of each object that a watch shows. */
function hasField(fields: unknown, path: readonly string[]): boolean {
  let at = fields;
  for (const name of path) {
    const field = `f:${name}`;
    if (!isJsonObject(at) || !Object.hasOwn(at, field)) return false;
    at = at[field];
  }
  return at !== undefined;
}

/** When a field manager last wrote, through any subresource; 0 when it owns nothing. */
export function writtenBy(manager: string, object: unknown): number {
  const own = managedFieldsOf(object).filter((entry) => entry.manager === manager);
  return Math.max(0, ...own.map(({ atSeconds }) => atSeconds));
}

/** RFC 3339 text as whole seconds since the epoch; 0 for any other text. */
export function secondsOf(time: unknown): number {
  const parsed = Date.parse(jsonText(time) ?? "");
  return Number.isNaN(parsed) ? 0 : Math.floor(parsed / 1000);
}
