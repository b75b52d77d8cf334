import type { RefusedPart } from "@fleet-reloader/domain/fault";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { refusedParts } from "@fleet-reloader/engine/overview/refused-question";
import type * as z from "zod";
import { wrongFields } from "./wrong-fields.ts";

/** Parameters that may be given more than once. */
const repeatedParameters: readonly string[] = ["key", "place"];

/** Checks the query of a route by its schema. Faults with every parameter that is unknown, repeated or wrong. */
export function readApiQuery<S extends z.ZodObject>(schema: S, parameters: URLSearchParams): z.output<S> {
  const known = Object.keys(schema.shape);
  const given: Record<string, unknown> = {};
  const wrong: RefusedPart[] = [];
  for (const field of new Set(parameters.keys())) {
    const values = parameters.getAll(field);
    if (!known.includes(field)) wrong.push(unknownParameter(field, values[0] ?? "", known));
    else if (repeatedParameters.includes(field)) given[field] = values;
    else if (values.length === 1) given[field] = values[0];
    else wrong.push(repeatedParameter(field, values));
  }
  const read = schema.safeParse(given);
  if (read.success && wrong.length === 0) return read.data;
  const issues = wrongFields(read.error?.issues ?? [], {
    whole: "query",
    givenAs: (field) => parameters.get(field) ?? "",
    mend: "docs/reference/openapi.json says what each parameter may be",
  });
  throw refusedParts([...wrong, ...issues]);
}

function repeatedParameter(field: string, values: readonly string[]): RefusedPart {
  return {
    field,
    value: values.join(","),
    problem: `${field}: it is given ${values.length} times`,
    mend: "write it once",
  };
}

function unknownParameter(field: string, value: string, known: readonly string[]): RefusedPart {
  const near = nearestName(field, known);
  return {
    field: field.slice(0, 100),
    value,
    problem: `${field.slice(0, 100)}: is no parameter of this route`,
    mend: near === undefined ? `write one of ${known.join(", ")}` : `did you mean ${near}?`,
  };
}
