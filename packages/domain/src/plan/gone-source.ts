import type { AppliedSource } from "../applied/applied-source.ts";
import type { ObservedSource } from "./observed-source.ts";
import type { PlanContext } from "./plan-input.ts";
import type { DigestedSource } from "./same-content.ts";
import type { WhyRoll } from "./why-roll.ts";

export interface GoneSource {
  /** The applied state of the source from now on. */
  readonly applied: AppliedSource;
  /** As in `WhyRoll`. */
  readonly pods?: NonNullable<WhyRoll["pods"]>;
}

/**
 * The applied state of a source that is gone. It keeps the last content, so that the source can come back with the same content without a
 * change. Pods that start without the source are the exception: those of a template that changed meanwhile, and those that start later than all
 * present ones.
 */
export function goneSource(
  { reference }: ObservedSource,
  before: AppliedSource | undefined,
  { pods, template }: PlanContext,
): GoneSource {
  if (before?.type !== "present") return { applied: { type: "absent" } };
  if (reference?.optional !== true) return { applied: before };
  if (!template.isSame) return { applied: { type: "absent" } };
  if (before.goneAfterSeconds !== undefined) return { applied: before };
  if (pods === undefined) return { applied: before, pods: "if-gone" };
  // A waiting container reads what is there when it starts.
  const started = pods.each.filter(Number.isFinite);
  return { applied: { ...before, goneAfterSeconds: Math.max(0, ...started) } };
}

/**
 * The content is the applied one, but its source was gone for a while, so pods that started meanwhile run without it. This does not apply to
 * pods of a template that was applied together with the source.
 */
export function whyMissed(
  { observed, live }: Omit<DigestedSource, "now">,
  { goneAfterSeconds }: Pick<AppliedSource & { type: "present" }, "goneAfterSeconds">,
  { pods, template }: PlanContext,
): WhyRoll {
  if (goneAfterSeconds === undefined || observed.reference?.optional !== true) return { reason: undefined };
  if (live.createdAtSeconds <= template.togetherUntilSeconds) return { reason: undefined };
  if (pods === undefined) return { reason: undefined, pods: "if-missed" };
  const isMissed = pods.each.some(
    (startedAt) => startedAt > goneAfterSeconds && startedAt <= live.createdAtSeconds,
  );
  return { reason: isMissed ? "LateOptionalReference" : undefined };
}
