import type { RefusedPart } from "@fleet-reloader/domain/fault";
import type * as z from "zod";

interface CheckedFields {
  /** The name of all fields together. */
  readonly whole: string;
  /** The given value of a field, as a text. */
  readonly givenAs: (field: string) => string;
  readonly mend: string;
}

/** The fields that a schema refuses, each once, with what is wrong first. */
export function wrongFields(
  issues: readonly z.core.$ZodIssue[],
  { mend, givenAs, whole }: CheckedFields,
): readonly RefusedPart[] {
  const parts = new Map<string, RefusedPart>();
  for (const { message, path } of issues) {
    const field = String(path[0] ?? whole);
    if (!parts.has(field))
      parts.set(field, { field, value: givenAs(field), problem: `${field}: ${message}`, mend });
  }
  return [...parts.values()];
}
