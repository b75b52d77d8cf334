import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import type * as z from "zod";

/** Checks the body of an act by its contract. Faults with the first field that is unknown or wrong. */
export function readActBody<S extends z.ZodObject>(schema: S, given: unknown): z.output<S> {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw refusedQuestion({
      field: "body",
      value: "",
      problem: "body: it is no JSON object",
      mend: "docs/reference/openapi.json says what it may hold",
    });
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(given).find((field) => !known.includes(field));
  if (unknown !== undefined) throw unknownBodyField(unknown.slice(0, 100), known);
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = String(issue?.path[0] ?? "body");
  throw refusedQuestion({
    field,
    value: JSON.stringify(new Map(Object.entries(given)).get(field)),
    problem: `${field}: ${issue?.message}`,
    mend: "docs/reference/openapi.json says what each field may be",
  });
}

function unknownBodyField(field: string, known: readonly string[]) {
  const near = nearestName(field, known);
  return refusedQuestion({
    field,
    value: "",
    problem: `${field}: is no field of this act`,
    mend: near === undefined ? `write one of ${known.join(", ")}` : `did you mean ${near}?`,
  });
}
