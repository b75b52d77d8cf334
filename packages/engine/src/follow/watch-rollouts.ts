import { asFault } from "@fleet-reloader/domain/fault";
import { patienceMs } from "@fleet-reloader/domain/rollout-state/follow-up";
import type { Clock } from "../async/clock.ts";
import { mapBounded } from "../async/map-bounded.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { ShownRollouts } from "../observe/shown-rollouts.ts";
import type { ClusterApi } from "../ports/cluster-api.ts";
import type { Log } from "../ports/log.ts";
import type { Settings } from "../ports/settings.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import { lookAgainMs } from "./late-recovery.ts";
import { giveUpMs, lookAtRollout } from "./rollout-look.ts";
import { followAtOnce, type LeftRun, type RolloutRuns, type StartedRun } from "./rollout-runs.ts";

export interface RolloutWatchOptions {
  /** Of the cluster that this process watches. */
  readonly api: Pick<ClusterApi, "cluster" | "readWorkload" | "listPods">;
  readonly runs: Pick<RolloutRuns, "due" | "leave">;
  readonly queue: Pick<Workqueue, "add">;
  readonly settings: Pick<Settings, "workloadKinds" | "dialect">;
  /** Rollouts as the watches of this process show them. Undefined: it has no worker. */
  readonly shown: Pick<ShownRollouts, "of"> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** How late a look may be. If no rollout is slow, a poll costs one command to Redis for each cluster. */
const pollEveryMs = 5000;
/** Looks at the same time in one cluster: a quarter of its connections, so that other requests go on. */
const looksAtOnce = 4;

/**
 * Looks at the slow rollouts of one cluster, and at those that ended badly, until the signal is aborted, so that no worker has to run for
 * them. When a rollout has ended or recovered, it asks a worker to look again and to report it. It remembers nothing, so another process
 * can take over at any time. Never rejects.
 */
export async function watchRollouts(options: RolloutWatchOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  while (!signal.aborted) {
    try {
      await clock.sleep(pollEveryMs, signal);
      await unlessAborted(lookAtDue(options, signal), signal, "Redis");
    } catch (error) {
      if (!signal.aborted) log.debug({ err: asFault(error).message }, "rollouts could not be looked at");
    }
  }
}

async function lookAtDue(options: RolloutWatchOptions, signal: AbortSignal): Promise<void> {
  const { api, clock, log, runs } = options;
  const looked: LeftRun[] = [];
  await mapBounded(await runs.due(api.cluster, clock.now()), looksAtOnce, async (started) => {
    try {
      looked.push(await lookAtOne(options, started, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      // It stays due.
      log.debug({ err: asFault(error).message }, "a rollout could not be looked at");
    }
  });
  if (looked.length > 0) await runs.leave(looked);
}

async function lookAtOne(
  options: RolloutWatchOptions,
  started: StartedRun,
  signal: AbortSignal,
): Promise<LeftRun> {
  const { clock, queue } = options;
  const { run } = started;
  const spentMs = Math.max(0, clock.now() - run.rolledAtMs);
  // At once: the looks at other rollouts may take long.
  if (await isForWorker(options, { started, spentMs }, signal)) await queue.add([followAtOnce(started)]);
  // Postponed in both cases: if the request is lost, the next look adds it again.
  return { ...started, lookAtMs: clock.now() + lookAgainMs({ run, spentMs }, patienceMs) };
}

/** Whether a worker has to look: the rollout has ended, or it cannot be read here. */
async function isForWorker(
  { api, log, settings, shown }: RolloutWatchOptions,
  { started, spentMs }: { readonly started: StartedRun; readonly spentMs: number },
  signal: AbortSignal,
): Promise<boolean> {
  const { request, run } = started;
  try {
    const look = await lookAtRollout({ request, run, spentMs, api, settings, shown, signal });
    return look.type !== "unfinished";
  } catch (error) {
    const fault = asFault(error);
    if (fault.class === "aborted") throw fault;
    log.debug({ reason: fault.code, err: fault.message }, "a rollout could not be read");
    // A worker may have other rights, and it is the one that gives up.
    return fault.class === "denied" || (spentMs >= giveUpMs && run.badEnd === undefined);
  }
}
