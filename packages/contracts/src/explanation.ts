import { noReasons, unservedReasons, yesReasons } from "@fleet-reloader/domain/decision/reasons";
import { holdReasons } from "@fleet-reloader/domain/hold/reasons";
import { rollReasons, stayReasons } from "@fleet-reloader/domain/plan/reasons";
import { podKeepers } from "@fleet-reloader/domain/rollout-state/revisioned";
import type { ExplainedVerdict, Explanation } from "@fleet-reloader/engine/ask/explanation";
import type { SourcePlan } from "@fleet-reloader/engine/ask/source-plan";
import * as z from "zod";
import { name, source } from "./causing-source.ts";

const askedWorkloadShape = z.object({ kind: name, namespace: name, name });
const answerTime = z.iso.datetime();
const reasonsOf = <R extends string>(list: readonly { readonly reason: R }[]) =>
  list.map(({ reason }) => reason);
const keyShape = z.union([z.literal("all"), z.array(z.string())]);
const countReasons = [...reasonsOf(yesReasons), ...reasonsOf(noReasons), "SourceKindNotServed"] as const;
const causeList = z.array(z.object({ source, reason: z.enum(reasonsOf(rollReasons)) }));

const verdictShape: z.ZodType<ExplainedVerdict> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("roll"), causes: causeList }),
  z.object({
    type: z.literal("held"),
    causes: causeList,
    reason: z.enum(reasonsOf(holdReasons)),
    why: z.string(),
    until: z.exactOptional(answerTime),
  }),
  z.object({
    type: z.literal("stays"),
    reason: z.enum([...reasonsOf(stayReasons), ...reasonsOf(noReasons)]),
  }),
  z.object({ type: z.literal("unserved"), reason: z.enum(reasonsOf(unservedReasons)) }),
  z.object({ type: z.literal("unknown"), reason: z.enum(["WorkloadsNotListed", "KeyUnknown"]) }),
]);

const use = z.object({
  how: z.enum(["env", "envFrom", "volume", "projected", "csi"]),
  container: z.exactOptional(z.string()),
  optional: z.boolean(),
  keys: keyShape,
});

const explainedSource = z.object({
  source,
  counts: z.boolean(),
  reason: z.enum(countReasons),
  keys: keyShape,
  uses: z.array(use),
  isOptional: z.boolean(),
  state: z.enum(["present", "missing", "unseen", "unread"]),
  nearest: z.exactOptional(name),
  applied: z.enum(["present", "absent", "none"]),
  rolls: z.exactOptional(z.enum(reasonsOf(rollReasons))),
  frozenBy: z.exactOptional(z.string()),
});

/** The fields of an explanation. */
export const explanationShape = z.object({
  cluster: z.string(),
  workload: askedWorkloadShape,
  time: answerTime,
  verdict: verdictShape,
  optIn: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      on: z.enum(["workload", "template", "flag"]),
      means: z.string(),
    }),
  ),
  sources: z.array(explainedSource),
  problems: z.array(
    z.object({ annotation: z.string(), value: z.string(), problem: z.string(), mend: z.string() }),
  ),
  isPaused: z.boolean(),
  pausedUntil: z.exactOptional(answerTime),
  podKeeper: z.exactOptional(z.enum(podKeepers)),
  failed: z.exactOptional(
    z.object({
      result: z.enum(["failed", "stalled"]),
      reason: z.string(),
      meaning: z.string(),
      message: z.exactOptional(z.string()),
      time: answerTime,
    }),
  ),
  discarded: z.exactOptional(z.object({ by: z.string(), reason: z.string(), time: answerTime })),
  waiting: z.exactOptional(
    z.object({
      isWaiting: z.boolean(),
      hold: z.exactOptional(
        z.object({ reason: z.string(), again: answerTime, until: z.exactOptional(answerTime) }),
      ),
    }),
  ),
});

const explanation: z.ZodType<Explanation> = explanationShape;

/** The fields of a plan. */
export const sourcePlanShape = z.object({
  cluster: z.string(),
  source,
  keys: keyShape,
  time: answerTime,
  state: z.enum(["present", "missing", "unseen"]),
  nearest: z.exactOptional(name),
  absentKeys: z.exactOptional(z.array(z.object({ name, nearest: z.exactOptional(name) }))),
  isRedisAsked: z.boolean(),
  users: z.array(
    z.object({
      workload: askedWorkloadShape,
      verdict: verdictShape,
      isCause: z.boolean(),
      reason: z.enum(countReasons),
      reach: z.enum(["files", "restart", "none"]),
    }),
  ),
});

const sourcePlan: z.ZodType<SourcePlan> = sourcePlanShape;

/** An explanation as text for other processes. It contains only fields that are named here. */
export function formatExplanation(given: Explanation): string {
  return JSON.stringify(explanation.parse(given));
}

/** A plan as text for other processes. It contains only fields that are named here. */
export function formatSourcePlan(given: SourcePlan): string {
  return JSON.stringify(sourcePlan.parse(given));
}
