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
import type { History } from "../history/history.ts";
import { outcomeRecord } from "../history/records.ts";
import { reportHead } from "../history/report-head.ts";
import { servedKind } from "../observe/eligibility-of.ts";
import type { EngagedCluster, LiveWorkload } from "../ports/cluster-api.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import type { Reporter } from "../ports/reporter.ts";
import type { Again, ClusterId, Request, Result } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { Delivery, Handler } from "../ports/workqueue.ts";
import type { RolloutRun, RolloutRuns } from "./rollout-runs.ts";

export interface FollowerOptions {
  /** Undefined: this worker does not know the cluster (yet). */
  readonly engaged: (cluster: ClusterId) => Promise<EngagedCluster | undefined>;
  readonly runs: RolloutRuns;
  readonly settings: Pick<Settings, "workloadKinds" | "dialect">;
  readonly firstCheckMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** Undefined: nobody outside is told. */
  readonly reporter?: Reporter;
  readonly history?: History;
  /** The rollout of this workload that began so long ago counts as unfinished no more, however it ended. May be called more than once. */
  readonly onSettled?: (request: Request, ageMs: number) => Promise<void>;
}

/** A cluster that went while the request was on its way: from then on the gate keeps it out. */
const unknownClusterMs = 30_000;
/** A rollout that could not be looked at for so long beyond its time is given up. */
const giveUpMs = 60 * 60_000;

/**
 * Follows the rollout of a roll, one look at a time, until it is healthy, has failed or goes no further. It only reads, and whatever
 * it finds rolls nothing: a repeat, or a worker that takes over, just looks again.
 */
export function createFollower(options: FollowerOptions): Handler {
  const { runs, clock, log, meter } = options;

  return async function followRollout(request, delivery): Promise<Result> {
    const run = await runs.find(request);
    // It has ended; a look that a later roll asked for while the last one was under way finds this. Or it was lost with Redis.
    if (run === undefined) {
      // Once more: who ended it may have come no further. However old it was, it was looked at.
      await options.onSettled?.(request, options.firstCheckMs);
      return { type: "done", outcome: "unchanged" };
    }
    const spentMs = Math.max(0, clock.now() - run.rolledAtMs);
    // Rolled again since this was put into the queue: the clock of the newer one counts.
    if (spentMs < options.firstCheckMs) return unfinished(options.firstCheckMs - spentMs);
    const cluster = await options.engaged(request.cluster);
    if (cluster === undefined) return { type: "again", afterMs: unknownClusterMs, reason: "ClusterUnknown" };
    try {
      return await look({ request, delivery, cluster, run, spentMs });
    } catch (error) {
      const fault = asFault(error);
      log.debug(
        { cluster: cluster.name, workload: request.workload, reason: fault.code, err: fault.message },
        "a rollout could not be looked at",
      );
      if (fault.class === "aborted" || spentMs < giveUpMs) throw fault;
      return await settled({ request, run, spentMs }, "gone");
    }
  };

  async function look(seen: LookedAt): Promise<Result> {
    const { request, delivery, cluster, run, spentMs } = seen;
    const kind = servedKind(request.workload.kind, options.settings);
    if (kind === undefined) return await settled(seen, "ignored");
    const live = await cluster.api.readWorkload(request.workload, delivery.signal);
    if (live === undefined || live.isDeleting) return await settled(seen, "gone");
    // Our own pause: its end has the rollout followed.
    if (isHeld(live, options.settings.dialect)) return await settled(seen, "ignored");
    const state = kind.rolloutState(live.object);
    const isSlow = state.type !== "healthy" && spentMs >= patienceMs;
    const trouble = isSlow ? await troubleOfPods(live, seen) : undefined;
    const end = rolloutEnd(state, trouble, { spentMs, deadlineMs: rolloutDeadlineMs(live.object) });
    if (end === undefined) return unfinished(nextLookMs(spentMs, options.firstCheckMs));
    if (!(await runs.end(request, run))) return unfinished(options.firstCheckMs);
    // After it, since a newer run is not settled by the end of this one. Where this is not reached, the next look does so.
    await options.onSettled?.(request, spentMs);
    tell(seen, live, trouble === undefined ? end : explained(end, trouble));
    return { type: "done", outcome: "unchanged" };
  }

  /** Nobody is told: there is no rollout any more. */
  async function settled(
    { request, run, spentMs }: Pick<LookedAt, "request" | "run" | "spentMs">,
    outcome: "gone" | "ignored",
  ): Promise<Result> {
    if (!(await runs.end(request, run))) return unfinished(options.firstCheckMs);
    await options.onSettled?.(request, spentMs);
    return { type: "done", outcome };
  }

  /** What the newest pods say; undefined where they may not be looked at: then the status of the workload has to do. */
  async function troubleOfPods(
    live: LiveWorkload,
    { cluster, delivery }: LookedAt,
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

  function tell({ request, cluster, run, spentMs }: LookedAt, live: LiveWorkload, end: RolloutEnd): void {
    const { result, reason } = end;
    const { workload } = request;
    const seconds = secondsTaken(run, spentMs, end);
    const message = end.result === "healthy" ? "" : end.message;
    meter.rolloutEnded(cluster.name, workload.kind, result, seconds);
    const fields = {
      cluster: cluster.name,
      workload,
      result,
      reason,
      durationMs: Math.round(seconds * 1000),
    };
    if (result === "healthy") log.info(fields, "rollout ended");
    else log.warn({ ...fields, said: message }, "rollout ended");
    const sources = run.sources;
    const report = {
      ...reportHead(request, cluster, clock),
      uid: live.uid,
      result,
      reason,
      message,
      seconds,
    };
    options.reporter?.ended(report);
    options.history?.append([outcomeRecord({ ...report, sources })]);
  }
}

/** One handler for a queue that holds both. */
export function byPurpose(reconcile: Handler, follow: Handler): Handler {
  return (request, delivery) => (delivery.purpose === "follow" ? follow : reconcile)(request, delivery);
}

interface LookedAt {
  readonly request: Request;
  readonly delivery: Delivery;
  readonly cluster: EngagedCluster;
  readonly run: RolloutRun;
  readonly spentMs: number;
}

/** A clock of the cluster may be off by this much before its times say nothing to us. */
const skewMs = 5000;

/** As the status says, where it does; otherwise until it was seen, which may be half a minute later. */
function secondsTaken(run: RolloutRun, spentMs: number, end: RolloutEnd): number {
  const atMs = end.result === "healthy" && end.atSeconds !== undefined ? end.atSeconds * 1000 : undefined;
  const toldMs = atMs === undefined ? undefined : atMs - run.rolledAtMs;
  const isSane = toldMs !== undefined && toldMs >= -skewMs && toldMs <= spentMs;
  return (isSane ? Math.max(0, toldMs) : spentMs) / 1000;
}

/** A deadline says only that it took too long; the pods say why. */
function explained(end: RolloutEnd, trouble: Trouble): RolloutEnd {
  const isVague = end.reason === "ProgressDeadlineExceeded" || end.reason === "NoProgress";
  if (end.result === "healthy" || !isVague) return end;
  return { ...end, message: [trouble.message, end.message].filter((text) => text !== "").join("; ") };
}

function unfinished(afterMs: number): Again {
  return { type: "again", afterMs, reason: "RolloutUnfinished" };
}
