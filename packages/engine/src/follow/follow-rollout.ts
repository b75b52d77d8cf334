import { asFault } from "@fleet-reloader/domain/fault";
import { patienceMs } from "@fleet-reloader/domain/rollout-state/follow-up";
import type { Clock } from "../async/clock.ts";
import type { History } from "../history/history.ts";
import { createRecorder, type Recorder } from "../history/recorder.ts";
import type { Tracer } from "../history/tracer.ts";
import type { ShownRollouts } from "../observe/shown-rollouts.ts";
import type { EngagedCluster } from "../ports/cluster-api.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import type { Reporter } from "../ports/reporter.ts";
import type { Again, ClusterId, Request, Result } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { Delivery, Handler } from "../ports/workqueue.ts";
import { conclude } from "./conclude.ts";
import { lookAgainMs } from "./late-recovery.ts";
import { giveUpMs, lookAtRollout } from "./rollout-look.ts";
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
  /** The rollout of this workload that began this long ago no longer counts as unfinished, however it ended. May be called more than once. */
  readonly onSettled?: (request: Request, ageMs: number) => Promise<void>;
}

/** The wait for a cluster that left after the gate had admitted the request. The next time the gate does not admit it. */
const unknownClusterWaitMs = 30_000;

/** What following one rollout needs. */
interface Following
  extends Pick<FollowerOptions, "engaged" | "runs" | "settings" | "shown" | "firstCheckMs" | "clock"> {
  readonly recorder: Recorder;
  readonly onSettled: (request: Request, ageMs: number) => Promise<void>;
}

/**
 * Follows the rollout of a roll, one observation at a time, until it is healthy, has failed or goes no further. It only reads and never
 * rolls: a repeat, or a worker that takes over, observes again. `watchRollouts` watches a slow rollout until it ends, and one that ended
 * badly until it recovers.
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
  // The run has ended, and a later roll asked for this observation during the last one. Or Redis lost the run.
  if (run === undefined) {
    // Settled once more: the process that ended the run may have stopped before this. No run is observed before it is this old.
    await onSettled(request, firstCheckMs);
    return { type: "done", outcome: "unchanged", isUnasked: true };
  }
  const spentMs = Math.max(0, clock.now() - run.rolledAtMs);
  // Rolled again since this was put into the queue: the time of the newer roll counts.
  if (spentMs < firstCheckMs) return { ...unfinished(firstCheckMs - spentMs), isUnasked: true };
  const cluster = await engaged(request.cluster);
  if (cluster === undefined)
    return { type: "again", afterMs: unknownClusterWaitMs, reason: "ClusterUnknown" };
  const followed = { request, delivery, cluster, run, spentMs };
  // Settled once more, as above: the process that reported the bad end may have stopped before this.
  if (run.badEnd !== undefined) await onSettled(request, spentMs);
  try {
    return await observeRollout(following, followed);
  } catch (error) {
    const fault = asFault(error);
    recorder.record(followed, [{ type: "rollout-unread", fault }]);
    if (run.badEnd !== undefined && fault.class !== "aborted")
      return await followOn({ clock, firstCheckMs, runs }, followed);
    if (fault.class === "aborted" || spentMs < giveUpMs) throw fault;
    return await settle({ firstCheckMs, onSettled, runs }, followed, "gone");
  }
}

async function observeRollout(following: Following, followed: FollowedRollout): Promise<Result> {
  const { clock, firstCheckMs, onSettled, recorder, runs, settings, shown } = following;
  const { request, delivery, cluster, run, spentMs } = followed;
  const { api } = cluster;
  const { signal } = delivery;
  const look = await lookAtRollout({ request, run, spentMs, api, settings, shown, signal });
  switch (look.type) {
    case "unfinished":
      return await followOn({ clock, firstCheckMs, runs }, followed);
    case "none": {
      const settled = await settle({ firstCheckMs, onSettled, runs }, followed, look.outcome);
      if (look.outcome === "gone" && settled.type === "done")
        recorder.record(followed, [{ type: "gone", sources: run.sources }]);
      return settled;
    }
    case "ended": {
      const [isEnded] = await conclude({ onSettled, recorder, runs }, [
        { ...followed, uid: look.uid, end: look.end },
      ]);
      return isEnded === true ? { type: "done", outcome: "unchanged" } : unfinished(firstCheckMs);
    }
  }
}

/** A slow rollout is left to the process that watches the cluster and is always on: no worker stays up for it. */
async function followOn(
  { clock, firstCheckMs, runs }: Pick<Following, "clock" | "firstCheckMs" | "runs">,
  { request, run, spentMs }: FollowedRollout,
): Promise<Result> {
  const afterMs = lookAgainMs({ run, spentMs }, firstCheckMs);
  if (spentMs < patienceMs && run.badEnd === undefined) return unfinished(afterMs);
  const [isLeft] = await runs.leave([{ request, run, lookAtMs: clock.now() + afterMs }]);
  return isLeft === true ? { type: "done", outcome: "unchanged" } : unfinished(firstCheckMs);
}

/** Ends a run whose rollout no longer exists. There is nothing to record. */
async function settle(
  { firstCheckMs, onSettled, runs }: Pick<Following, "firstCheckMs" | "onSettled" | "runs">,
  { request, run, spentMs }: FollowedRollout,
  outcome: "gone" | "ignored",
): Promise<Result> {
  const [isEnded] = await runs.end([{ request, run }]);
  if (isEnded !== true) return unfinished(firstCheckMs);
  await onSettled(request, spentMs);
  return { type: "done", outcome };
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

function unfinished(afterMs: number): Again {
  return { type: "again", afterMs, reason: "RolloutUnfinished" };
}
