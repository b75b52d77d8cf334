import * as z from "zod";

/** Elements of a page: by default, and at most. */
const pageLimit = { standard: 100, max: 1000 } as const;

const parameterText = (description: string) =>
  z.string().min(1, "must not be empty").optional().meta({ description });

const limitProblem = `must be a whole number from 1 to ${pageLimit.max}`;
const limit = z.coerce
  .number(limitProblem)
  .int(limitProblem)
  .min(1, limitProblem)
  .max(pageLimit.max, limitProblem)
  .default(pageLimit.standard)
  .meta({
    description: `At most so many elements, 1 to ${pageLimit.max}. A page also ends before it is too large.`,
  });
const cursor = parameterText(
  "`next` of the page before. It belongs to the same query and to one run of the process.",
);

/** The fields of a page of a list beside its elements. */
export const pageFields = {
  count: z.int().nonnegative().meta({ description: "Of all pages." }),
  next: z.string().optional().meta({ description: "Cursor of the next page. Absent: there is none." }),
} as const;

/** The parameters that select a page. */
export const pagedBy = { limit, cursor } as const;

/** Filters of lists. An absent filter excludes nothing. */
export const filteredBy = {
  since: parameterText("Start: a time such as 2026-01-31T18:00:00Z, or an age such as 2h. Without it, 1h."),
  cluster: parameterText("Only this cluster, by name or id."),
  namespace: parameterText("Only this namespace."),
  name: parameterText("Only the workload or source of this name."),
  change: parameterText("Only this change: its id in all clusters, or in one."),
  reason: parameterText("Only holds of this reason, for example Frozen."),
  actsSince: parameterText(
    "Start: a time such as 2026-01-31T18:00:00Z, or an age such as 2h. Without it, 7d.",
  ),
  by: parameterText("Only what this person did, as the access file calls them."),
  action: parameterText("Only this act, for example retry."),
  text: parameterText("Only acts with this text in the target, the reason, the person or the act."),
  keys: z
    .array(z.string().min(1))
    .optional()
    .meta({ description: "Key of the source that changes. May be repeated. Without it, all keys." }),
} as const;

/** The query of a route that has no parameters. */
export const noParameters = z.strictObject({});
