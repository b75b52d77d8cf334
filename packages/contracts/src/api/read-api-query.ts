import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import type * as z from "zod";

/** Parameters that may be given more than once. */
const repeatedParameters: readonly string[] = ["key", "place"];

/** Checks the query of a route by its schema. Faults with the first parameter that is unknown, repeated or wrong. */
export function readApiQuery<S extends z.ZodObject>(schema: S, parameters: URLSearchParams): z.output<S> {
  const known = Object.keys(schema.shape);
  const given: Record<string, unknown> = {};
  for (const field of new Set(parameters.keys())) {
    const values = parameters.getAll(field);
    if (!known.includes(field)) throw unknownParameter(field, values[0] ?? "", known);
    if (!repeatedParameters.includes(field) && values.length > 1)
      throw refusedQuestion({
        field,
        value: values.join(","),
        problem: `${field}: it is given ${values.length} times`,
        mend: "write it once",
      });
    given[field] = repeatedParameters.includes(field) ? values : values[0];
  }
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = String(issue?.path[0] ?? "query");
  throw refusedQuestion({
    field,
    value: parameters.get(field) ?? "",
    problem: `${field}: ${issue?.message}`,
    mend: "docs/reference/openapi.json says what each parameter may be",
  });
}

function unknownParameter(field: string, value: string, known: readonly string[]) {
  const near = nearestName(field, known);
  return refusedQuestion({
    field: field.slice(0, 100),
    value,
    problem: `${field.slice(0, 100)}: is no parameter of this route`,
    mend: near === undefined ? `write one of ${known.join(", ")}` : `did you mean ${near}?`,
  });
}
