import type { AnnotationDialect } from "../annotation/dialect.ts";
import { parseGoDuration } from "../annotation/go-duration.ts";
import { type AnnotationProblem, annotationProblem } from "../annotation/problem.ts";
import { type Annotations, annotationValue } from "./workload.ts";

/** The annotations of a Deployment and its present state. Only Deployments can be paused (compat 4.1). */
export interface PauseInput {
  readonly kind: string;
  readonly annotations: Annotations;
  /** `spec.paused`, whatever set it. */
  readonly isPaused: boolean;
  /** The template is about to be changed. */
  readonly isRoll: boolean;
  readonly dialect: Pick<AnnotationDialect, "pausePeriod" | "pausedAt">;
  readonly nowMs: number;
}

/** The change of a pause, which goes into the same PATCH as the other changes. */
export interface PauseChange {
  /** The new `spec.paused`; absent: no change. */
  readonly isPaused?: boolean;
  /** Value of the annotation that says the pause is ours (RFC 3339); null removes it. */
  readonly pausedAt: string | null;
}

export interface PausePlan {
  readonly change: PauseChange | undefined;
  /** A pause of ours or of the peer ends with this change, or somebody else ended it: what was rolled during the pause reaches the pods. */
  readonly isResumed: boolean;
  /** When to reconcile the workload again to end its pause; undefined when there is no pause of ours. */
  readonly resumeAfterMs: number | undefined;
  readonly problems: readonly AnnotationProblem[];
}

/** Whether the Deployment is paused, and the pause is ours or the peer's. */
export function isHeld(
  workload: Pick<PauseInput, "annotations" | "isPaused">,
  dialect: Pick<AnnotationDialect, "pausedAt">,
): boolean {
  return workload.isPaused && pausedAtOf(workload, dialect) !== "";
}

/** The annotations that decide when such a pause ends; undefined if there is none. */
export function holdPeriod(
  workload: Pick<PauseInput, "annotations" | "isPaused">,
  dialect: Pick<AnnotationDialect, "pausePeriod" | "pausedAt">,
): string | undefined {
  if (!isHeld(workload, dialect)) return undefined;
  return `${pausedAtOf(workload, dialect)} ${annotationValue(workload.annotations, dialect.pausePeriod)}`;
}

/** Whether somebody else ended such a pause. As long as our annotation stays, a later pause by a person counts as ours. */
export function isHoldLeft(
  workload: Pick<PauseInput, "kind" | "annotations" | "isPaused">,
  dialect: Pick<AnnotationDialect, "pausedAt">,
): boolean {
  return workload.kind === "Deployment" && !workload.isPaused && pausedAtOf(workload, dialect) !== "";
}

/**
 * Pauses a Deployment with its first change and resumes it after the period: one rollout for all changes in between. Everything is read from the
 * Deployment itself, so a pause ends even if the process that began it is gone. A pause without our annotation belongs to a person, and is
 * neither ended nor prolonged.
 */
export function planPause(input: PauseInput): PausePlan {
  const { dialect } = input;
  const { periodMs, problems } = readPeriod(input);
  const pausedAt = pausedAtOf(input, dialect);
  const unchanged = { change: undefined, isResumed: false, resumeAfterMs: undefined, problems };
  if (input.kind !== "Deployment") return unchanged;
  if (isHeld(input, dialect)) return { ...inPause(pausedAt, periodMs, input.nowMs), problems };
  if (input.isRoll && periodMs > 0 && !input.isPaused) {
    const change = { isPaused: true, pausedAt: timeText(input.nowMs) };
    return { change, isResumed: false, resumeAfterMs: periodMs, problems };
  }
  if (pausedAt === "") return unchanged;
  // A person resumed it early, so no pause of ours is left.
  const isResumed = input.nowMs < Date.parse(pausedAt) + periodMs + leftoverMs;
  return { change: { pausedAt: null }, isResumed, resumeAfterMs: undefined, problems };
}

/** Our annotation on a Deployment that is not paused says nothing about its rollout this long after the period: the peer never removes it. */
const leftoverMs = 10 * 60_000;

/** Empty if we have not paused it. */
function pausedAtOf(
  { annotations }: Pick<PauseInput, "annotations">,
  dialect: Pick<AnnotationDialect, "pausedAt">,
): string {
  return annotationValue(annotations, dialect.pausedAt) ?? "";
}

/** The pause ends if the period is missing or unreadable by now, or nobody can read the time: it must not last for ever. */
function inPause(pausedAt: string, periodMs: number, nowMs: number): Omit<PausePlan, "problems"> {
  const since = Date.parse(pausedAt);
  const leftMs = Number.isNaN(since) ? 0 : Math.min(periodMs, since + periodMs - nowMs);
  if (leftMs <= 0)
    return { change: { isPaused: false, pausedAt: null }, isResumed: true, resumeAfterMs: undefined };
  // The clock of the process that began it was ahead. With that time each read would find the whole period left.
  const change = since > nowMs ? { pausedAt: timeText(nowMs) } : undefined;
  return { change, isResumed: false, resumeAfterMs: leftMs };
}

/** RFC 3339. The API server's times are whole seconds, and so is this one. */
function timeText(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, "Z");
}

function readPeriod({ kind, annotations, dialect }: PauseInput): {
  readonly periodMs: number;
  readonly problems: readonly AnnotationProblem[];
} {
  const text = annotationValue(annotations, dialect.pausePeriod);
  if (text === undefined) return { periodMs: 0, problems: [] };
  const problem = (what: string, mend: string) => ({
    periodMs: 0,
    problems: [annotationProblem(dialect.pausePeriod, text, what, mend)],
  });
  if (kind !== "Deployment")
    return problem(`does nothing on a ${kind}: only a Deployment can be paused`, "remove it");
  const periodMs = parseGoDuration(text);
  return periodMs === undefined
    ? problem(
        "is not a duration; the Deployment is rolled without a pause",
        'write one such as "30s" or "1m30s"',
      )
    : { periodMs, problems: [] };
}
