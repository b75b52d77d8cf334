import { parseJson } from "@fleet-reloader/domain/json";
import { rolloutReasons } from "@fleet-reloader/domain/rollout-state/reasons";
import { reloadStrategies } from "@fleet-reloader/domain/strategy/reload-strategy";
import { type HistoryRecord, historyVersion } from "@fleet-reloader/engine/history/history";
import * as z from "zod";
import { causingSources, name, source } from "./causing-source.ts";

const workload = z.object({ kind: name, namespace: name, name });
const recordSources = causingSources;
const recordEntry = z.object({
  v: z.literal(historyVersion),
  time: z.iso.datetime(),
  cluster: z.exactOptional(z.object({ id: name, name: z.string() })),
});

const auditedUser = z.object({
  user: z.string(),
  impersonated: z.exactOptional(z.string()),
  groups: z.array(z.string()),
  userAgent: z.string(),
});
const change = recordEntry.extend({
  type: z.literal("change"),
  change: name,
  fleetChange: z.exactOptional(name),
  source,
  resourceVersion: name,
  actor: z.exactOptional(
    z.object({
      manager: z.string(),
      operation: z.string(),
      time: z.iso.datetime(),
      users: z.exactOptional(z.array(auditedUser)),
    }),
  ),
});
const decision = recordEntry.extend({
  type: z.literal("decision"),
  workload,
  verdict: z.enum(["roll", "no", "held"]),
  reason: name,
  sources: recordSources,
});
const action = recordEntry.extend({
  type: z.literal("action"),
  workload,
  action: z.enum(["rolled", "failed", "discarded"]),
  strategy: z.exactOptional(z.enum(reloadStrategies)),
  fault: z.exactOptional(name),
  by: z.exactOptional(z.string()),
  why: z.exactOptional(z.string()),
  sources: recordSources,
});
const outcome = recordEntry.extend({
  type: z.literal("outcome"),
  workload,
  result: z.enum(["healthy", "failed", "stalled"]),
  reason: z.enum(rolloutReasons.map(({ reason }) => reason)),
  message: z.exactOptional(z.string()),
  seconds: z.number().nonnegative(),
  sources: recordSources,
});
const operator = recordEntry.extend({
  type: z.literal("operator"),
  action: name,
  by: z.string(),
  target: z.string(),
  scope: z.exactOptional(
    z.object({
      cluster: z.exactOptional(name),
      namespace: z.exactOptional(name),
      workload: z.exactOptional(workload.pick({ kind: true, name: true })),
      source: z.exactOptional(source.pick({ kind: true, name: true })),
    }),
  ),
  note: z.exactOptional(z.string()),
  reason: z.exactOptional(z.string()),
  count: z.exactOptional(z.int().nonnegative()),
  part: z.exactOptional(z.object({ id: name, of: z.int().nonnegative(), before: z.int().nonnegative() })),
});

/**
 * One line of the history as it crosses processes: workers write it, the dashboard and other programs read it. A reader drops fields that it
 * does not know, and ignores a record of an unknown version or type.
 */
const historyRecord: z.ZodType<HistoryRecord> = z.discriminatedUnion("type", [
  change,
  decision,
  action,
  outcome,
  operator,
]);

/** The record in a text; undefined when there is none, or one of a later version. */
export function parseHistoryRecord(text: string): HistoryRecord | undefined {
  return historyRecord.safeParse(parseJson(text)).data;
}
