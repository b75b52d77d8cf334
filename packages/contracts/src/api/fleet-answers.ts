import { clusterStates } from "@fleet-reloader/domain/cluster/cluster-status";
import { changeProgresses } from "@fleet-reloader/engine/overview/changes/change-summary";
import * as z from "zod";
import { source } from "../causing-source.ts";
import { pageFields } from "./api-query.ts";

const amount = z.int().nonnegative();
const { count, next } = pageFields;
const labelsAnswer = z.record(z.string(), z.string());

const statusInAnswer = z.object({ state: z.enum(clusterStates), why: z.array(z.string()) });

const clusterAnswer = z.object({
  name: z.string(),
  labels: labelsAnswer,
  id: z.string().optional(),
  status: statusInAnswer.optional(),
  watcher: z.string().optional(),
  workloads: amount,
  unobserved: amount,
  rollouts: amount,
  report: z
    .object({
      status: statusInAnswer.optional(),
      streams: amount,
      behindCount: amount,
      behind: z.array(z.string()),
      behindSinceMs: z.number().optional().meta({ description: "Absent: every stream is in sync." }),
      missingRights: z.array(z.string()),
      missingRightCount: amount,
    })
    .optional()
    .meta({
      description: "The last report of its watcher, at most 15 s old. Lists have their first few elements.",
    }),
  problems: z.array(z.string()),
  held: amount,
});

const changeAnswer = z.object({
  id: z.string(),
  source,
  time: z.iso.datetime(),
  actors: z.array(z.string()),
  clusters: z.array(z.string()).meta({ description: "By name; an answer over HTTP has the first twenty." }),
  clusterCount: amount.meta({ description: "Of all clusters that have it." }),
  workloads: z.object({
    unchanged: amount,
    held: amount,
    rolling: amount,
    healthy: amount,
    failed: amount,
    stalled: amount,
    discarded: amount,
    superseded: amount,
    gone: amount,
  }),
  isDone: z.boolean(),
});

const objectName = z.object({ kind: z.string(), name: z.string() });
const selectorAnswer = z.object({
  requirements: z.array(
    z.object({
      key: z.string(),
      operator: z.enum(["in", "notin", "exists", "absent", ">", "<"]),
      values: z.array(z.string()),
    }),
  ),
});
const freezeAnswer = z.object({
  scope: z.object({
    cluster: z.exactOptional(z.string()),
    clusterSelector: z.exactOptional(selectorAnswer),
    namespace: z.exactOptional(z.string()),
    workload: z.exactOptional(objectName),
    source: z.exactOptional(source.pick({ kind: true, name: true })),
  }),
  reason: z.string(),
  by: z.string(),
  untilMs: z.exactOptional(z.number()),
  missing: z.exactOptional(z.string()).meta({
    description:
      "Why the freeze covers nothing now: no registered cluster matches it, or nothing there that is reloaded. Absent also where that is not known: for a caller that sees everything, namespace, workload and source are compared with up to 2000 workloads.",
  }),
});

const queueCounts = z.object({
  work: amount,
  waiting: amount,
  prioritized: amount,
  active: amount,
  due: amount,
  held: amount,
  delayed: amount.meta({ description: "Waiting for a later time, and not on hold." }),
  oldestMs: z.number().nonnegative().optional(),
});
const wholeQueue = queueCounts.optional().meta({
  description: "Of the whole fleet. Absent: the caller sees a part of it only.",
});
const countsByReason = z.record(z.string(), amount);

const whyUnreadable = z.string().optional().meta({
  description:
    "Why a document of freezes cannot be read, so that nothing is rolled. Absent: all can be read.",
});

/** Whatever needs a person, with counts of the rest. If a list is shorter than its count, the rest did not fit. */
export const statusAnswer = z.object({
  clusters: z.object({ count: amount, sickCount: amount, workloads: amount, sick: z.array(clusterAnswer) }),
  queue: wholeQueue,
  held: countsByReason,
  freezeCount: amount,
  freezes: z.array(freezeAnswer),
  unreadableFreezes: whyUnreadable,
  changes: z.object({
    count: amount,
    openCount: amount,
    openWorkloads: z
      .object({ rolling: amount, held: amount, failed: amount, stalled: amount })
      .meta({ description: "Workloads of all open changes; one of two changes counts twice." }),
    open: z.array(changeAnswer),
  }),
  isCut: z.boolean(),
});

/** Clusters, those with problems first. */
export const clustersAnswer = z.object({ count, clusters: z.array(clusterAnswer), next });

/** Changes, newest first. `isCut`: there are newer ones. */
export const changesAnswer = z.object({ count, changes: z.array(changeAnswer), isCut: z.boolean(), next });

/** One change, and the state of each workload with it. */
export const changedWorkloadsAnswer = z.object({
  change: changeAnswer,
  count,
  workloads: z.array(
    z.object({
      cluster: z.string(),
      workload: objectName.extend({ namespace: z.string() }),
      progress: z.enum(changeProgresses),
      reason: z.string().optional(),
      message: z.string().optional(),
      time: z.iso.datetime(),
    }),
  ),
  isCut: z.boolean(),
  next,
});

/** The queue: what waits, what is on hold by reason, and the workloads whose last roll failed or stalled, by reason. */
export const queueAnswer = z.object({
  queue: wholeQueue,
  held: countsByReason,
  failed: countsByReason,
  isCut: z.boolean(),
});

const milliseconds = z.number().nonnegative();

/** Activity of a fleet, slot by slot: rolls, latency and age. */
export const activityAnswer = z.object({
  slotMs: milliseconds.meta({ description: "How long each slot is." }),
  slots: z
    .array(
      z.object({
        from: z.iso.datetime(),
        rolled: amount.meta({ description: "Rolls that were written." }),
        failed: amount.meta({
          description: "Rollouts that failed or stalled, and rolls whose write failed.",
        }),
        medianMs: milliseconds.optional().meta({
          description:
            "From the write of a source to the roll. The API server dates writes in whole seconds.",
        }),
        slowestMs: milliseconds.optional(),
        oldestMs: milliseconds.optional().meta({
          description:
            "How long the oldest request that is on hold or rolling at the end of the slot has been in that state.",
        }),
      }),
    )
    .meta({ description: "The oldest first, without a gap. The last one has not ended." }),
  isCut: z.boolean(),
});

/** Reloaded workloads, with the sources that each uses. */
export const managedAnswer = z.object({
  count,
  clusterCount: amount.meta({ description: "Of the clusters that were asked." }),
  workloads: z.array(
    z.object({
      cluster: z.string(),
      ref: objectName.extend({ namespace: z.string() }),
      sources: z.array(z.string()),
      patterns: z
        .array(z.tuple([z.string(), z.string()]))
        .meta({ description: "Pairs of a source kind and a name pattern." }),
    }),
  ),
  next,
});

/** Requests on hold, and the freezes. `reasons` counts the holds of all pages. */
export const heldAnswer = z.object({
  count,
  reasons: countsByReason,
  freezeCount: amount,
  freezes: z.array(freezeAnswer),
  unreadableFreezes: whyUnreadable,
  holds: z.array(
    z.object({
      cluster: z.string(),
      workload: z.string(),
      reason: z.string(),
      why: z.string(),
      until: z.iso.datetime().optional(),
    }),
  ),
  next,
});

/** Acts of operators, newest first. `isCut`: there are newer acts. */
export const operatorsAnswer = z.object({
  count,
  acts: z.array(
    z.object({
      id: z.string(),
      time: z.iso.datetime(),
      action: z.string(),
      by: z.string().meta({ description: "Empty: it is not known who." }),
      reason: z.string(),
      target: z.string(),
      scope: freezeAnswer.shape.scope.omit({ clusterSelector: true }),
      count: amount
        .optional()
        .meta({ description: "How many workloads were done. Absent: they are not counted." }),
      of: amount.optional().meta({ description: "How many workloads the act concerned when it began." }),
    }),
  ),
  isCut: z.boolean(),
  next,
});
