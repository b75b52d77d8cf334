import { asFault } from "@fleet-reloader/domain/fault";
import {
  nextLookMs,
  patienceMs,
  type RolloutEnd,
  rolloutDeadlineMs,
  rolloutEnd,
} from "@fleet-reloader/domain/rollout-state/follow-up";
import { podSelectorOf } from "@fleet-reloader/domain/rollout-state/pod-selector";
import { podTrouble } from "@fleet-reloader/domain/rollout-state/pod-trouble";
import type { Trouble } from "@fleet-reloader/domain/rollout-state/rollout-state";
import { isHeld } from "@fleet-reloader/domain/workload/pause";
import type { Clock } from "../async/clock.ts";
import type { RolloutEndedFact } from "../history/fact.ts";
import type { History } from "../history/history.ts";
import { createRecorder, type Recorder } from "../history/recorder.ts";
import type { Tracer } from "../history/tracer.ts";
import { servedKind } from "../observe/eligibility-of.ts";
import type { ShownRollouts } from "../observe/shown-rollouts.ts";
import type { EngagedCluster, LiveWorkload } from "../ports/cluster-api.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import type { Reporter } from "../ports/reporter.ts";
import type { Again, ClusterId, Request, Result } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { Delivery, Handler } from "../ports/workqueue.ts";
import type { RolloutRun, RolloutRuns } from "./rollout-runs.ts";

export interface FollowerOptions {
  /** Resolves to undefined when this worker does not know the cluster (yet). */
  readonly engaged: (cluster: ClusterId) => Promise<EngagedCluster | undefined>;
  readonly runs: RolloutRuns;
  readonly settings: Pick<Settings, "workloadKinds" | "dialect">;
  readonly firstCheckMs: number;
  /** Rollouts as the watches of this process show them. Absent: it watches nothing. */
  readonly shown?: Pick<ShownRollouts, "of"> | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** Undefined: nobody outside is notified. */
  readonly reporter?: Reporter;
  readonly history?: History;
  /** Undefined: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** The rollout of this workload that began so long ago no longer counts as unfinished, however it ended. May be called more than once. */
  readonly onSettled?: (request: Request, ageMs: number) => Promise<void>;
}

/** The wait for a cluster that went while the request was on its way. The next time the gate refuses the request. */
const unknownClusterWaitMs = 30_000;
/** A rollout that could not be read for so long beyond its time is given up. */
const giveUpMs = 60 * 60_000;

/** What following one rollout needs. */
interface Following
  extends Pick<FollowerOptions, "engaged" | "runs" | "settings" | "shown" | "firstCheckMs" | "clock"> {
  readonly recorder: Recorder;
  readonly onSettled: (request: Request, ageMs: number) => Promise<void>;
}

/**
 * Follows the rollout of a roll, one observation at a time, until it is healthy, has failed or goes no further. It only reads, and
 * whatever it finds rolls nothing: a repeat, or a worker that takes over, observes again.
 */
export function createFollower(options: FollowerOptions): Handler {
  const { engaged, runs, settings, shown, firstCheckMs, clock, log, meter, reporter, history } = options;
  const { tracer } = options;
  const recorder = createRecorder({ clock, log, meter, reporter, history, tracer });
  const onSettled = options.onSettled ?? (async () => undefined);
  const following: Following = { engaged, runs, settings, shown, firstCheckMs, clock, recorder, onSettled };
  return (request, delivery) => followRollout(following, request, delivery);
}

async function followRollout(following: Following, request: Request, delivery: Delivery): Promise<Result> {
  const { clock, engaged, firstCheckMs, onSettled, recorder, runs } = following;
  const run = await runs.find(request);
  // It has ended: a later roll asked for this observation while the last one was under way. Or it was lost with Redis.
  if (run === undefined) {
    // Settled once more: whoever ended the run may have stopped before this. However old it was, it was observed.
    await onSettled(request, firstCheckMs);
    return { type: "done", outcome: "unchanged" };
  }
  const spentMs = Math.max(0, clock.now() - run.rolledAtMs);
  // Rolled again since this was put into the queue: the clock of the newer one counts.
  if (spentMs < firstCheckMs) return unfinished(firstCheckMs - spentMs);
  const cluster = await engaged(request.cluster);
  if (cluster === undefined)
    return { type: "again", afterMs: unknownClusterWaitMs, reason: "ClusterUnknown" };
  const followed = { request, delivery, cluster, run, spentMs };
  try {
    return (await followShown(following, followed)) ?? (await observeRollout(following, followed));
  } catch (error) {
    const fault = asFault(error);
    recorder.record(followed, [{ type: "rollout-unread", fault }]);
    if (fault.class === "aborted" || spentMs < giveUpMs) throw fault;
    return await settle(following, followed, "gone");
  }
}

/**
 * Decides on what the watch has shown, without a read; undefined where that does not do. That a rollout is healthy is concluded from it, and
 * that one which goes on need not be read before it is slow. A watch that has stopped costs no more than the time until then.
 */
async function followShown(following: Following, followed: FollowedRollout): Promise<Result | undefined> {
  const { request, run, spentMs } = followed;
  const shown = following.shown?.of(request, run);
  if (shown?.state.type === "progressing" && spentMs < patienceMs)
    return unfinished(nextLookMs(spentMs, following.firstCheckMs));
  if (shown?.state.type !== "healthy") return undefined;
  const end = rolloutEnd(shown.state, undefined, { spentMs, deadlineMs: Number.POSITIVE_INFINITY });
  return end && (await conclude(following, followed, { uid: shown.uid, end }));
}

async function observeRollout(following: Following, followed: FollowedRollout): Promise<Result> {
  const { firstCheckMs, settings } = following;
  const { request, delivery, cluster, spentMs } = followed;
  const kind = servedKind(request.workload.kind, settings);
  if (kind === undefined) return await settle(following, followed, "ignored");
  const live = await cluster.api.readWorkload(request.workload, delivery.signal);
  if (live === undefined || live.isDeleting) return await settle(following, followed, "gone");
  // We paused it ourselves. The end of the pause has the rollout followed.
  if (isHeld(live, settings.dialect)) return await settle(following, followed, "ignored");
  const state = kind.rolloutState(live.object);
  const isSlow = state.type !== "healthy" && spentMs >= patienceMs;
  const trouble = isSlow ? await troubleOfPods(live, followed) : undefined;
  const end = rolloutEnd(state, trouble, { spentMs, deadlineMs: rolloutDeadlineMs(live.object) });
  if (end === undefined) return unfinished(nextLookMs(spentMs, firstCheckMs));
  const told = trouble === undefined ? end : explained(end, trouble);
  return await conclude(following, followed, { uid: live.uid, end: told });
}

/** The rollout has ended: the run ends, and everybody is told. */
async function conclude(
  { firstCheckMs, onSettled, recorder, runs }: Following,
  followed: FollowedRollout,
  { uid, end }: { readonly uid: string; readonly end: RolloutEnd },
): Promise<Result> {
  const { request, run, spentMs } = followed;
  if (!(await runs.end(request, run))) return unfinished(firstCheckMs);
  // After it: the end of this run does not settle a newer one. Where this is not reached, the next observation does so.
  await onSettled(request, spentMs);
  recorder.record(followed, [endedFact(followed, uid, end)]);
  return { type: "done", outcome: "unchanged" };
}

/** There is no rollout any more, and nothing to record. */
async function settle(
  { firstCheckMs, onSettled, runs }: Following,
  { request, run, spentMs }: FollowedRollout,
  outcome: "gone" | "ignored",
): Promise<Result> {
  if (!(await runs.end(request, run))) return unfinished(firstCheckMs);
  await onSettled(request, spentMs);
  return { type: "done", outcome };
}

/** What the newest pods say; undefined where they may not be read: then the status of the workload has to do. */
async function troubleOfPods(
  live: LiveWorkload,
  { cluster, delivery }: FollowedRollout,
): Promise<Trouble | undefined> {
  const selector = podSelectorOf(live.object);
  if (selector === undefined) return undefined;
  try {
    return podTrouble(await cluster.api.listPods(live.ref.namespace, selector, delivery.signal));
  } catch (error) {
    const fault = asFault(error);
    if (fault.code === "kube.forbidden") return undefined;
    throw fault;
  }
}

function endedFact({ run, spentMs }: FollowedRollout, uid: string, end: RolloutEnd): RolloutEndedFact {
  const { result, reason } = end;
  const message = end.result === "healthy" ? "" : end.message;
  const seconds = secondsTaken(run, spentMs, end);
  const { rolledAtMs, sources } = run;
  return { type: "rollout-ended", uid, result, reason, message, rolledAtMs, seconds, sources };
}

/** One handler for a queue that holds both kinds of requests. */
export function byPurpose(reconcile: Handler, follow: Handler): Handler {
  return (request, delivery) => (delivery.purpose === "follow" ? follow : reconcile)(request, delivery);
}

/** A rollout that is due to be observed. */
interface FollowedRollout {
  readonly request: Request;
  readonly delivery: Delivery;
  readonly cluster: EngagedCluster;
  readonly run: RolloutRun;
  readonly spentMs: number;
}

/** Times of a cluster are used as long as its clock is off by no more than this. */
const skewMs = 5000;

/** The time the status says, where it says one; otherwise the time until the end was observed, which may be half a minute longer. */
function secondsTaken(run: RolloutRun, spentMs: number, end: RolloutEnd): number {
  const atMs = end.result === "healthy" && end.atSeconds !== undefined ? end.atSeconds * 1000 : undefined;
  const statusMs = atMs === undefined ? undefined : atMs - run.rolledAtMs;
  const isSane = statusMs !== undefined && statusMs >= -skewMs && statusMs <= spentMs;
  return (isSane ? Math.max(0, statusMs) : spentMs) / 1000;
}

/** Adds what the pods say to a deadline, which says only that the rollout took too long. */
function explained(end: RolloutEnd, trouble: Trouble): RolloutEnd {
  const isVague = end.reason === "ProgressDeadlineExceeded" || end.reason === "NoProgress";
  if (end.result === "healthy" || !isVague) return end;
  return { ...end, message: [trouble.message, end.message].filter((text) => text !== "").join("; ") };
}

function unfinished(afterMs: number): Again {
  return { type: "again", afterMs, reason: "RolloutUnfinished" };
}
