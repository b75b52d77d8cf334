import { isPodOf } from "@fleet-reloader/domain/evidence/pods-start";
import { asFault } from "@fleet-reloader/domain/fault";
import {
  patienceMs,
  type RolloutEnd,
  rolloutDeadlineMs,
  rolloutEnd,
  unobservedMs,
} from "@fleet-reloader/domain/rollout-state/follow-up";
import { lastReadySeconds, podTrouble } from "@fleet-reloader/domain/rollout-state/pod-trouble";
import { hasBegun, type Trouble } from "@fleet-reloader/domain/rollout-state/rollout-state";
import { isHeld } from "@fleet-reloader/domain/workload/pause";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import { servedKind } from "../observe/served.ts";
import type { ShownRollout, ShownRollouts } from "../observe/shown-rollouts.ts";
import { selectorOfPods } from "../observe/template-owner.ts";
import type { ClusterApi, LiveWorkload } from "../ports/cluster-api.ts";
import type { Request } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import { isGivenUp } from "./late-recovery.ts";
import type { RolloutRun } from "./rollout-runs.ts";

/** A rollout that could not be read for this long beyond its time is given up. */
export const giveUpMs = 60 * 60_000;

/** A rollout to look at, and what the look needs. */
export interface LookedAtRollout {
  readonly request: Request;
  readonly run: RolloutRun;
  /** Milliseconds since the roll. */
  readonly spentMs: number;
  readonly api: Pick<ClusterApi, "readWorkload" | "listPods">;
  readonly settings: Pick<Settings, "workloadKinds" | "dialect">;
  /** Rollouts as the watches of this process show them. Undefined: it watches nothing, or not with a worker. */
  readonly shown: Pick<ShownRollouts, "of"> | undefined;
  readonly signal: AbortSignal;
}

/** The result of a look. `none`: there is no rollout any more, and nothing to record. */
export type RolloutLook =
  | { readonly type: "unfinished" }
  | { readonly type: "none"; readonly outcome: "gone" | "ignored" }
  | { readonly type: "ended"; readonly uid: string; readonly end: RolloutEnd };

/** The result of a look at the watches alone. */
type ShownLook = Exclude<RolloutLook, { readonly type: "none" }>;

/**
 * Looks once at a rollout. It only reads: all looks at the same moment have the same result. A rollout whose bad end was reported counts
 * as unfinished until it is healthy; when its time is over, there is none.
 */
export async function lookAtRollout(rollout: LookedAtRollout): Promise<RolloutLook> {
  if (isGivenUp(rollout)) return { type: "none", outcome: "ignored" };
  return newsOf(rollout.run, lookAtShown(rollout) ?? (await readRollout(rollout)));
}

/** Keeps only news: after a reported bad end, only that the same workload is healthy. */
function newsOf({ badEnd }: RolloutRun, look: RolloutLook): RolloutLook {
  if (badEnd === undefined || look.type !== "ended") return look;
  if (look.uid !== badEnd.uid) return { type: "none", outcome: "ignored" };
  return look.end.result === "healthy" ? look : { type: "unfinished" };
}

/**
 * Decides without a read on what the watches show; undefined if that is not enough. A healthy rollout has ended. One that goes on need
 * not be read before it is slow; if a watch has stopped, that costs no more than the time until then.
 */
export function lookAtShown({
  request,
  run,
  shown,
  spentMs,
}: Pick<LookedAtRollout, "request" | "run" | "shown" | "spentMs">): ShownLook | undefined {
  const found = shown?.of(request, run);
  if (found?.state.type === "progressing" && !isSlow(found, spentMs)) return { type: "unfinished" };
  if (found?.state.type !== "healthy") return undefined;
  const time = { spentMs, idleMs: spentMs, deadlineMs: Number.POSITIVE_INFINITY };
  const end = rolloutEnd(found.state, undefined, time);
  return end && { type: "ended", uid: found.uid, end };
}

/** Pods tell nothing before the controller has begun, and then not before trouble has lasted. */
function isSlow({ begunMs }: ShownRollout, spentMs: number): boolean {
  return begunMs === undefined ? spentMs >= unobservedMs : begunMs >= patienceMs;
}

async function readRollout(rollout: LookedAtRollout): Promise<RolloutLook> {
  const { api, request, settings, signal, spentMs } = rollout;
  const kind = servedKind(request.workload.kind, settings);
  if (kind === undefined) return { type: "none", outcome: "ignored" };
  const live = await api.readWorkload(request.workload, signal);
  if (live === undefined) return { type: "none", outcome: "gone" };
  if (live.isDeleting)
    return mayHaveSuccessor(live, spentMs) ? { type: "unfinished" } : { type: "none", outcome: "gone" };
  // We paused it. The end of the pause has the rollout followed, even if a person ends it.
  if (isHeld(live, settings.dialect)) return { type: "none", outcome: "ignored" };
  return await lookAtLive(live, kind, rollout);
}

async function lookAtLive(
  live: LiveWorkload,
  kind: WorkloadKind,
  rollout: LookedAtRollout,
): Promise<RolloutLook> {
  const { run, spentMs } = rollout;
  const state = kind.rolloutState(live.object, live.templateOwner?.generation);
  if (!hasBegun(state) && spentMs < unobservedMs) return { type: "unfinished" };
  const isExplained = state.type !== "healthy" && spentMs >= patienceMs && run.badEnd === undefined;
  const pods = isExplained ? await podsOf(live, rollout) : [];
  // Pods from before the roll say nothing of this rollout, but it may be waiting for them.
  const newPods = kind.hasNewPods?.(live.object) === false ? [] : pods;
  const progressedAt = [
    state.type === "progressing" ? state.atSeconds : undefined,
    lastReadySeconds(newPods),
  ];
  const idleMs = idleTimeMs(rollout, progressedAt);
  const time = { spentMs, idleMs, deadlineMs: rolloutDeadlineMs(live.object) };
  const end = rolloutEnd(state, podTrouble(newPods, run.rolledAtMs + spentMs - patienceMs), time);
  if (end === undefined) return { type: "unfinished" };
  return { type: "ended", uid: live.uid, end: explained(end, podTrouble(pods)) };
}

/** The roll of a Job deletes it. While finalizers hold it, its successor does not exist yet. */
function mayHaveSuccessor({ object, ref }: LiveWorkload, spentMs: number): boolean {
  return ref.kind === "Job" && spentMs < rolloutDeadlineMs(object);
}

/** Milliseconds since the last of these times, or since the roll if they are all earlier. */
function idleTimeMs(
  { run, spentMs }: Pick<LookedAtRollout, "run" | "spentMs">,
  progressedAtSeconds: readonly (number | undefined)[],
): number {
  const atMs = progressedAtSeconds.map((seconds) => (seconds ?? 0) * 1000);
  return Math.max(0, run.rolledAtMs + spentMs - Math.max(run.rolledAtMs, ...atMs));
}

/** Its own pods; none if they may not be read: then the status of the workload has to suffice. */
async function podsOf(live: LiveWorkload, { api, signal }: LookedAtRollout): Promise<readonly unknown[]> {
  const selector = selectorOfPods(live);
  if (selector === undefined) return [];
  try {
    const pods = await api.listPods(live.ref.namespace, selector, signal);
    const { uid, ref } = live;
    return pods.filter((pod) => isPodOf(pod, { uid, name: ref.name }));
  } catch (error) {
    const fault = asFault(error);
    if (fault.code === "kube.forbidden") return [];
    throw fault;
  }
}

/** Adds the trouble of the pods to a deadline, which says only that the rollout took too long. */
function explained(end: RolloutEnd, trouble: Trouble | undefined): RolloutEnd {
  const isVague = end.reason === "ProgressDeadlineExceeded" || end.reason === "NoProgress";
  if (trouble === undefined || end.result === "healthy" || !isVague) return end;
  return { ...end, message: [trouble.message, end.message].filter((text) => text !== "").join("; ") };
}
