import { type FaultCode, faultCatalogue } from "@fleet-reloader/domain/fault";
import * as z from "zod";

/** What is wrong with one part of a question. */
const partOfProblem = {
  field: z.string().meta({ description: "The part of the question that is wrong." }),
  value: z.string().meta({ description: "What was given." }),
  problem: z.string().meta({ description: "What is wrong, for people." }),
  mend: z.string().meta({ description: "What to do." }),
} as const;

/** The shape of every answer that is no success. */
export const apiProblem = z.object({
  code: z.string().meta({ description: "docs/reference/faults.md has the meaning of each." }),
  field: partOfProblem.field.optional(),
  value: partOfProblem.value.optional(),
  problem: partOfProblem.problem,
  mend: partOfProblem.mend,
  parts: z.array(z.object(partOfProblem)).optional().meta({
    description:
      "Every wrong part of a question that has several, at most 20. The fields beside are those of the first.",
  }),
  count: z.int().nonnegative().optional().meta({
    description: "For an act with another expected count: how many workloads the act concerns now.",
  }),
});

/** The body of a refusal or failure. */
export type ApiProblem = z.infer<typeof apiProblem>;

/** HTTP statuses by the class of a fault. */
const statuses = {
  transient: 503,
  throttled: 429,
  conflict: 409,
  denied: 403,
  unreachable: 503,
  invalid: 400,
  misconfigured: 500,
  aborted: 503,
  invariant: 500,
} as const;

/** The HTTP status of a fault. */
export function statusOfFault(code: FaultCode): number {
  if (code === "access.unauthenticated") return 401;
  return statuses[faultCatalogue[code].class];
}
