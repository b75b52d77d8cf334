import { jsonField } from "../json.ts";
import type { FailedReason, HealthyReason, StalledReason } from "./reasons.ts";
import type { RolloutState, Trouble } from "./rollout-state.ts";
import { numberOf } from "./status.ts";

/** How a rollout ended. */
export type RolloutEnd =
  | { readonly result: "healthy"; readonly reason: HealthyReason; readonly atSeconds?: number }
  | { readonly result: "failed"; readonly reason: FailedReason; readonly message: string }
  | { readonly result: "stalled"; readonly reason: StalledReason; readonly message: string };

/** Trouble that lasts this long is not passing: a container has then started at least twice. */
export const patienceMs = 15_000;
/**
 * How long a controller may take to begin. One that has many workloads to roll begins late with the last of them: kube-controller-manager sends 20
 * requests a second unless `--kube-api-qps` says otherwise, and a rollout takes some four of them.
 */
export const unobservedMs = 5 * 60_000;
/** Controllers write `ProgressDeadlineExceeded` themselves. They get this much time beyond the deadline. */
const marginMs = 30_000;
/** For a workload without a deadline: the default of a Deployment's progressDeadlineSeconds. */
const defaultDeadlineMs = 10 * 60_000;
/** A longer deadline means "never": people write 2^31-1 seconds for that. Nor is anything of unknown length awaited for longer. */
const deadlineMaxMs = 24 * 3_600_000;
/** Maximum time between two reads, so that an end is known at most half a minute late. */
const farthestMs = 30_000;

/**
 * How long a rollout of this workload may make no progress before it counts as stalled, in milliseconds. Without a deadline of its own the time
 * allows for pods that end one after another, and that count as available only some time after they are ready.
 */
export function rolloutDeadlineMs(object: unknown): number {
  const spec = jsonField(object, "spec");
  const own = millisecondsOf(jsonField(spec, "progressDeadlineSeconds"));
  if (own > 0 && own <= deadlineMaxMs) return own + marginMs;
  const endMs = millisecondsOf(jsonField(spec, "template", "spec", "terminationGracePeriodSeconds"));
  const availableMs = millisecondsOf(jsonField(spec, "minReadySeconds"));
  return defaultDeadlineMs + Math.min(deadlineMaxMs, endMs + availableMs) + marginMs;
}

function millisecondsOf(seconds: unknown): number {
  return (numberOf(seconds) ?? 0) * 1000;
}

/** How long a rollout has taken, in milliseconds. */
export interface RolloutTime {
  /** Since the roll. */
  readonly spentMs: number;
  /** Since its last known progress, or since the roll. */
  readonly idleMs: number;
  /** The rollout is stalled when it has been idle for this long. */
  readonly deadlineMs: number;
}

/** The end of a rollout with this state after this time; undefined while it goes on. */
export function rolloutEnd(
  state: RolloutState,
  trouble: Trouble | undefined,
  time: RolloutTime,
): RolloutEnd | undefined {
  if (state.type === "healthy") {
    const { reason, atSeconds } = state;
    return { result: "healthy", reason, ...(atSeconds === undefined ? {} : { atSeconds }) };
  }
  if (state.type === "failed") return { result: "failed", reason: state.reason, message: state.message };
  if (state.type === "stalled") return { result: "stalled", reason: state.reason, message: state.message };
  const cause = trouble ?? state.trouble;
  const deadlineMs = state.isOpenEnded === true ? deadlineMaxMs : time.deadlineMs;
  const isLate = time.idleMs >= deadlineMs;
  if (cause === undefined)
    return isLate ? { result: "stalled", reason: "NoProgress", message: "" } : undefined;
  if (isStalling(cause.reason))
    return isLate ? { result: "stalled", reason: cause.reason, message: cause.message } : undefined;
  return time.spentMs >= patienceMs
    ? { result: "failed", reason: cause.reason, message: cause.message }
    : undefined;
}

/** The time until the next read, in milliseconds: as long as the rollout has taken so far, but not far beyond a time at which something is due. */
export function nextLookMs(spentMs: number, firstMs: number): number {
  const doubled = Math.max(firstMs, spentMs);
  const untilPatience = patienceMs - spentMs;
  return Math.min(farthestMs, untilPatience > 0 ? Math.min(doubled, untilPatience) : doubled);
}

const stalling: ReadonlySet<FailedReason | StalledReason> = new Set<StalledReason>([
  "Unschedulable",
  "Paused",
  "NotReady",
  "NoProgress",
]);

function isStalling(reason: FailedReason | StalledReason): reason is StalledReason {
  return stalling.has(reason);
}
