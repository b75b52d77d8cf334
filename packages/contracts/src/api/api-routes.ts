import * as z from "zod";
import { explanationShape, sourcePlanShape } from "../explanation.ts";
import { filteredBy, pagedBy, pageFields } from "./api-query.ts";
import {
  activityAnswer,
  changedWorkloadsAnswer,
  changesAnswer,
  clustersAnswer,
  heldAnswer,
  managedAnswer,
  operatorsAnswer,
  queueAnswer,
  statusAnswer,
} from "./fleet-answers.ts";

/** The root path of the API. */
export const apiRoot = "/api/v1";

/** The path for sign-in, sign-out and the caller's name. */
export const sessionPath = `${apiRoot}/session`;

const { since, cluster, namespace, name, change, reason, keys } = filteredBy;
const { actsSince, by, action, text } = filteredBy;
const { limit, cursor } = pagedBy;
const { count, next } = pageFields;

/**
 * The routes of the API, each with its parameters and its answer. Parameters of the path are in braces. A query with other parameters is
 * refused. Fields of an answer that are not named here are not sent.
 */
export const apiRoutes = {
  status: {
    path: "/status",
    summary: "The state of the fleet: clusters, queue, holds, freezes, open changes",
    query: z.strictObject({ since }),
    answer: statusAnswer,
  },
  clusters: {
    path: "/clusters",
    summary: "The clusters, sick ones first, with what is wrong",
    query: z.strictObject({ cluster, limit, cursor }),
    answer: clustersAnswer,
  },
  changes: {
    path: "/changes",
    summary: "The newest changes of sources, with what came of each on all clusters",
    query: z.strictObject({ since, cluster, namespace, name, change, limit, cursor }),
    answer: changesAnswer,
  },
  change: {
    path: "/changes/{change}",
    summary: "One change, and where each workload stands with it",
    query: z.strictObject({ since, limit, cursor }),
    answer: changedWorkloadsAnswer,
  },
  held: {
    path: "/held",
    summary: "What is on hold: by whom or what, and until when; the freezes",
    query: z.strictObject({ cluster, namespace, reason, limit, cursor }),
    answer: heldAnswer,
  },
  queue: {
    path: "/queue",
    summary: "The queue: the age of the oldest request, what waits, and what is held and failed, by reason",
    query: z.strictObject({ since }),
    answer: queueAnswer,
  },
  activity: {
    path: "/activity",
    summary: "How many rolls there were, how quick they were and how old what is open was, slot by slot",
    query: z.strictObject({ since, cluster, namespace, name }),
    answer: activityAnswer,
  },
  operators: {
    path: "/operators",
    summary:
      "What operators did: who, when, why, on how many, and what came of it. For a viewer of everything",
    query: z.strictObject({ since: actsSince, by, action, cluster, text, limit, cursor }),
    answer: operatorsAnswer,
  },
  managed: {
    path: "/workloads",
    summary: "The workloads that are reloaded, with the sources that each uses",
    query: z.strictObject({ cluster, namespace, limit, cursor }),
    answer: managedAnswer,
  },
  workload: {
    path: "/workloads/{cluster}/{kind}/{namespace}/{name}",
    summary: "Whether a workload would roll now, and why. Pages its sources",
    query: z.strictObject({ limit, cursor }),
    answer: explanationShape.extend({ count, next }),
  },
  source: {
    path: "/sources/{cluster}/{kind}/{namespace}/{name}",
    summary: "What would follow from a change of a source. Pages its users",
    query: z.strictObject({ key: keys, limit, cursor }),
    answer: sourcePlanShape.extend({ count, next }),
  },
} as const;

/** The routes of the API by name. */
export type ApiRouteName = keyof typeof apiRoutes;

/** An answer of a route, as the caller reads it. */
export type ApiAnswer<N extends ApiRouteName> = z.output<(typeof apiRoutes)[N]["answer"]>;

/** The checked parameters of a route's query. */
export type ApiQuery<N extends ApiRouteName> = z.output<(typeof apiRoutes)[N]["query"]>;
