import { type FieldProblem, invalidOptions } from "../status-errors.ts";

/** What stands in the query of a write. */
export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly manager: string;
  readonly isForced: boolean;
  /** Unknown fields are refused instead of dropped. */
  readonly isStrict: boolean;
}

const MANAGER_CHARACTERS_MAX = 128;

export function parseWriteOptions(
  kind: string,
  query: URLSearchParams,
  userAgent: string | undefined,
  isApply: boolean,
): WriteOptions {
  const problems: FieldProblem[] = [];
  const dryRun = query.getAll("dryRun");
  if (dryRun.some((value) => value !== "All" && value !== "")) {
    problems.push({
      type: "FieldValueNotSupported",
      field: "dryRun",
      message: `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`,
    });
  }
  const manager = query.get("fieldManager") ?? "";
  if (isApply && manager === "") {
    problems.push({
      type: "FieldValueRequired",
      field: "fieldManager",
      message: "Required value: is required for apply patch",
    });
  }
  if (manager.length > MANAGER_CHARACTERS_MAX) {
    problems.push({
      type: "FieldValueTooLong",
      field: "fieldManager",
      message: `Too long: may not be more than ${MANAGER_CHARACTERS_MAX} bytes`,
    });
  }
  const force = query.get("force");
  if (force !== null && !isApply && kind === "PatchOptions") {
    problems.push({
      type: "FieldValueForbidden",
      field: "force",
      message: "Forbidden: may not be specified for non-apply patch",
    });
  }
  const oddCharacter = [...manager].findIndex((character) => character < " " || character === "\x7f");
  if (oddCharacter >= 0) {
    problems.push({
      type: "FieldValueInvalid",
      field: "fieldManager",
      message: `Invalid value: ${JSON.stringify(manager)}: invalid character (at position ${oddCharacter})`,
    });
  }
  const validation = query.get("fieldValidation") ?? "";
  if (!["", "Ignore", "Warn", "Strict"].includes(validation)) {
    problems.push({
      type: "FieldValueNotSupported",
      field: "fieldValidation",
      message: `Unsupported value: "${validation}": supported values: "", "Ignore", "Strict", "Warn"`,
    });
  }
  if (problems.length > 0) throw invalidOptions(kind, problems);
  return {
    isDryRun: dryRun.includes("All"),
    manager: manager === "" ? managerFrom(userAgent) : manager,
    isForced: force === "true",
    isStrict: validation === "Strict",
  };
}

/** `kubectl/v1.32.0 (linux)` writes as `kubectl`. */
function managerFrom(userAgent: string | undefined): string {
  const name = (userAgent ?? "").split("/")[0] ?? "";
  return name === "" ? "unknown" : name.slice(0, MANAGER_CHARACTERS_MAX);
}
