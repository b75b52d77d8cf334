import * as z from "zod";
import { apiRoot } from "./api-routes.ts";

/** Names in Kubernetes have at most 253 characters, and names of clusters are not longer. */
const actPlaceName = (description: string) =>
  z.string().max(253, "has more than 253 characters").default("").meta({ description });
/** A kind, a slash and a name. */
const objectText = (description: string) =>
  z.string().max(507, "has more than 507 characters").default("").meta({ description });

/** Fields of every act: the place, the reason, and the count that the caller was shown. */
const actBodyFields = {
  cluster: actPlaceName("Name or id. Empty: all clusters."),
  namespace: actPlaceName("Empty: all namespaces."),
  reason: z
    .string()
    .max(1000, "has more than 1000 characters")
    .default("")
    .meta({ description: "Why; it is recorded in the history. Required unless `dryRun` is true." }),
  expect: z.int("must be a whole number").nonnegative("must not be negative").optional().meta({
    description:
      "How many workloads you expect the act to concern. Required unless `dryRun` is true. A number that differs from the present one is refused with 409.",
  }),
  dryRun: z
    .boolean("must be true or false")
    .default(false)
    .meta({ description: "Answer what the act would do, and do nothing." }),
} as const;
const { cluster, namespace, reason, expect, dryRun } = actBodyFields;

/** Maximum workloads in one part, so that a person can stop the act within a moment. */
const actBatchMax = 50;
const batchProblem = `must be a whole number from 1 to ${actBatchMax}`;

/** Fields of an act on many objects. It is done in parts, so that the caller sees the progress and can stop it. */
const partFields = {
  batch: z.int(batchProblem).min(1, batchProblem).max(actBatchMax, batchProblem).optional().meta({
    description: "The maximum number to do now. Absent: all that are left.",
  }),
  next: z.string().max(2048, "has more than 2048 characters").optional().meta({
    description:
      "`next` of the answer before: the act goes on with the same fields, and `expect` is not needed. It belongs to one run of the process.",
  }),
} as const;
const { batch, next } = partFields;

const objectBody = z.strictObject({
  object: objectText("`KIND/NAME`, for example `Deployment/api`. Required."),
  cluster,
  namespace,
  reason,
  expect,
  dryRun,
});

/** The same fields for an act that may be done in parts. */
const dividedBody = objectBody.extend({ batch, next });

/** The failed rolls to discard. */
const discardBody = dividedBody.extend({
  object: objectText("`KIND/NAME` of a workload. Empty: any workload."),
  cause: actPlaceName(
    "Only what failed for this reason, for example ProgressDeadlineExceeded. Empty: for any.",
  ),
  since: z.string().max(64, "has more than 64 characters").default("").meta({
    description:
      "Only what failed since a time such as 2026-01-31T18:00:00Z, or an age such as 2h. Empty: 1h.",
  }),
});

const actScopeFields = {
  fleet: z.boolean("must be true or false").default(false).meta({ description: "The whole fleet." }),
  cluster,
  clusterSelector: actPlaceName("Clusters whose registration has matching labels."),
  namespace,
  workload: objectText("`KIND/NAME` of a workload."),
  source: objectText("`KIND/NAME` of a source."),
} as const;

/** The scope of the freezes to lift: every given field has to match, as in a freeze. */
const liftBody = z.strictObject({ ...actScopeFields, reason, expect, dryRun });

/** The scope of a freeze: every given field has to match. */
const freezeBody = z.strictObject({
  ...actScopeFields,
  until: z.string().max(64, "has more than 64 characters").default("").meta({
    description:
      "A time such as 2026-01-31T18:00:00Z, or how long from now, such as 2h. Empty: until it is lifted.",
  }),
  reason,
  expect,
  dryRun,
});

/** The root path of the acts. */
export const actsRoot = `${apiRoot}/acts`;

/** The acts by name, each with its body. Other fields in a body are refused. */
export const actRoutes = {
  retry: { summary: "Check a workload now, and roll it if it has to roll", body: dividedBody },
  replay: { summary: "Check every workload that uses a source now", body: dividedBody },
  release: {
    summary: "Close the open breaker of a workload or a source, and check what it held",
    body: objectBody,
  },
  discard: {
    summary: "Take failed rolls that are given up out of what failed, without a roll",
    body: discardBody,
  },
  freeze: {
    summary: "Forbid rolls of the fleet, a cluster, a namespace, a workload or a source",
    body: freezeBody,
  },
  lift: { summary: "Remove the freeze of exactly this scope", body: liftBody },
} as const;

/** The name of an act. */
export type ActName = keyof typeof actRoutes;
export const actNames = [
  "retry",
  "replay",
  "release",
  "discard",
  "freeze",
  "lift",
] as const satisfies readonly ActName[];

/** The body of an act, checked. */
export type ActBody<N extends ActName> = z.output<(typeof actRoutes)[N]["body"]>;

/** The answer to an act: the objects that it covers, and its result. */
export const actAnswer = z.object({
  act: z.enum(actNames),
  target: z.string().meta({ description: "What it is about, for people." }),
  count: z.int().nonnegative().meta({ description: "How many workloads the act concerns." }),
  workloads: z
    .array(z.object({ cluster: z.string(), workload: z.string() }))
    .meta({ description: "The first of them." }),
  done: z.int().nonnegative().optional().meta({
    description: "How many of them are done so far, in all parts. Absent for a dry run, a freeze and a lift.",
  }),
  next: z.string().optional().meta({ description: "The act goes on with it. Absent: nothing is left." }),
  covers: z
    .string()
    .optional()
    .meta({ description: "Of a freeze: what it covers, or why it covers nothing, for people." }),
  reading: z.enum(["read", "unread", "unreadable"]).optional().meta({
    description:
      "For a freeze that was set and covers something. `read`: a watcher has read it. `unread`: no known watcher has read it within 20 s, so it may hold nothing. `unreadable`: watchers cannot read the freezes, and nothing is rolled. `covers` says why.",
  }),
  isDone: z
    .boolean()
    .meta({ description: "False: nothing was done, since `dryRun` was true; or `next` is given." }),
  notice: z.string().optional().meta({ description: "Remarks for people, before or after the act." }),
});

/** The answer to an act, as the caller reads it. */
export type ActAnswer = z.output<typeof actAnswer>;

/** Maximum places in one question: as many as a page has rows. */
const permissionPlacesMax = 200;

/** The permissions of the caller, place by place. */
export const permissionsRoute = {
  path: "/acts",
  summary: "The acts that the caller may do in places of the fleet",
  query: z.strictObject({
    place: z
      .array(z.string())
      .max(permissionPlacesMax, `has more than ${permissionPlacesMax} places`)
      .default([])
      .meta({
        description:
          "`CLUSTER/NAMESPACE`, with nothing before the slash for all clusters and nothing after it for all namespaces. May be repeated.",
      }),
  }),
  answer: z.object({
    by: z.string().meta({ description: "The person who asks; empty: nobody is signed in." }),
    places: z.record(z.string(), z.array(z.enum(actNames))),
  }),
} as const;

/** The permissions of the caller. */
export type PermissionsAnswer = z.output<typeof permissionsRoute.answer>;
