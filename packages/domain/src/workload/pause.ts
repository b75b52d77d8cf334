import type { AnnotationDialect } from "../annotation/dialect.ts";
import { parseGoDuration } from "../annotation/go-duration.ts";
import { type AnnotationProblem, annotationProblem } from "../annotation/problem.ts";
import { type Annotations, annotationValue } from "./workload.ts";

/** What a Deployment asks for, and what is true of it now. Only Deployments can be paused (compat 4.1). */
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

/** What to write of a pause with whatever else is written, in one PATCH. */
export interface PauseChange {
  /** `spec.paused` as it has to be; absent: as it is. */
  readonly isPaused?: boolean;
  /** Value of the annotation that says the pause is ours (RFC 3339); null removes it. */
  readonly pausedAt: string | null;
}

export interface PausePlan {
  readonly change: PauseChange | undefined;
  /** A pause of ours or of the peer ends with this change, or somebody else ended it: what was rolled in it reaches the pods. */
  readonly isResumed: boolean;
  /** After this time the workload has to be looked at again, to end its pause; undefined when there is none of ours. */
  readonly resumeAfterMs: number | undefined;
  readonly problems: readonly AnnotationProblem[];
}

/** Whether the pause a Deployment is in is one of ours, or of the peer. */
export function isHeld(
  workload: Pick<PauseInput, "annotations" | "isPaused">,
  dialect: Pick<AnnotationDialect, "pausedAt">,
): boolean {
  return workload.isPaused && pausedAtOf(workload, dialect) !== "";
}

/** What the end of such a pause depends on; undefined where there is none. */
export function holdPeriod(
  workload: Pick<PauseInput, "annotations" | "isPaused">,
  dialect: Pick<AnnotationDialect, "pausePeriod" | "pausedAt">,
): string | undefined {
  if (!isHeld(workload, dialect)) return undefined;
  return `${pausedAtOf(workload, dialect)} ${annotationValue(workload.annotations, dialect.pausePeriod)}`;
}

/** Whether somebody else ended such a pause. As long as our annotation stays, a pause that a person begins later is taken for ours. */
export function isHoldLeft(
  workload: Pick<PauseInput, "kind" | "annotations" | "isPaused">,
  dialect: Pick<AnnotationDialect, "pausedAt">,
): boolean {
  return workload.kind === "Deployment" && !workload.isPaused && pausedAtOf(workload, dialect) !== "";
}

/**
 * Pauses a Deployment with its first change and resumes it after the period: one rollout for all changes in between. Everything
 * is read from the Deployment itself, so a pause ends whatever became of who began it. A pause without our annotation is a
 * person's, and is neither ended nor prolonged.
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
  // A person resumed it before the time: nothing is ours any more.
  const isResumed = input.nowMs < Date.parse(pausedAt) + periodMs + leftoverMs;
  return { change: { pausedAt: null }, isResumed, resumeAfterMs: undefined, problems };
}

/** Our annotation on a Deployment that is not paused says nothing of its rollout so long after the period: the peer leaves it there for ever. */
const leftoverMs = 10 * 60_000;

/** Empty where we have not paused it. */
function pausedAtOf(
  { annotations }: Pick<PauseInput, "annotations">,
  dialect: Pick<AnnotationDialect, "pausedAt">,
): string {
  return annotationValue(annotations, dialect.pausedAt) ?? "";
}

/** A period that is gone or unreadable by now, and a time that nobody can read, end the pause: it must not last for ever. */
function inPause(pausedAt: string, periodMs: number, nowMs: number): Omit<PausePlan, "problems"> {
  const since = Date.parse(pausedAt);
  const leftMs = Number.isNaN(since) ? 0 : Math.min(periodMs, since + periodMs - nowMs);
  if (leftMs <= 0)
    return { change: { isPaused: false, pausedAt: null }, isResumed: true, resumeAfterMs: undefined };
  // The clock of who began it was ahead. Each look would find the whole period left.
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
