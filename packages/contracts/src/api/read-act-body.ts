import type { RefusedPart } from "@fleet-reloader/domain/fault";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { refusedParts, refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import type * as z from "zod";
import { wrongFields } from "./wrong-fields.ts";

/** Checks the body of an act by its contract. Faults with every field that is unknown or wrong. */
export function readActBody<S extends z.ZodObject>(schema: S, given: unknown): z.output<S> {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw refusedQuestion({
      field: "body",
      value: "",
      problem: "body: it is no JSON object",
      mend: "docs/reference/openapi.json says what it may hold",
    });
  const known = Object.keys(schema.shape);
  const fields = new Map<string, unknown>(Object.entries(given));
  const unknown = [...fields.keys()].filter((field) => !known.includes(field));
  const read = schema.safeParse(Object.fromEntries([...fields].filter(([field]) => known.includes(field))));
  if (read.success && unknown.length === 0) return read.data;
  const issues = wrongFields(read.error?.issues ?? [], {
    whole: "body",
    givenAs: (field) => JSON.stringify(fields.get(field)) ?? "",
    mend: "docs/reference/openapi.json says what each field may be",
  });
  throw refusedParts([...unknown.map((field) => unknownBodyField(field.slice(0, 100), known)), ...issues]);
}

function unknownBodyField(field: string, known: readonly string[]): RefusedPart {
  const near = nearestName(field, known);
  return {
    field,
    value: "",
    problem: `${field}: is no field of this act`,
    mend: near === undefined ? `write one of ${known.join(", ")}` : `did you mean ${near}?`,
  };
}
