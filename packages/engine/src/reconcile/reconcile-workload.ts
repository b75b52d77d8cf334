import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { StayReason } from "@fleet-reloader/domain/plan/reasons";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { type Eligibility, isActedOn } from "@fleet-reloader/domain/workload/eligibility";
import type { Brakes } from "../admission/brakes.ts";
import type { Clock, Random } from "../async/clock.ts";
import type { FollowUps } from "../follow/follow-ups.ts";
import type { History } from "../history/history.ts";
import { failureRecord } from "../history/records.ts";
import { reportHead } from "../history/report-head.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import { createSourceReader } from "../observe/source-reader.ts";
import type { EngagedCluster, LiveWorkload } from "../ports/cluster-api.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import { isWorthReporting, type Reporter } from "../ports/reporter.ts";
import { type Again, type ClusterId, type Outcome, type Request, unknownCluster } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { WorkloadRecords } from "../ports/workload-records.ts";
import type { Delivery, Handler, Workqueue } from "../ports/workqueue.ts";
import { dropStash, finishReplacement } from "./job-replacement.ts";
import { createObserve } from "./observe.ts";
import { createWriter } from "./write.ts";

export interface ReconcilerOptions {
  /** Undefined: this worker does not know the cluster (yet). */
  readonly engaged: (cluster: ClusterId) => Promise<EngagedCluster | undefined>;
  readonly queue: Workqueue;
  /** What Redis remembers of workloads. */
  readonly records: WorkloadRecords;
  readonly keys: Keyring;
  readonly sha1: (bytes: Uint8Array) => string;
  readonly names: NameMatches;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** Undefined: nobody outside is told. */
  readonly reporter?: Reporter;
  /** Undefined: nothing is written down. */
  readonly history?: History;
  /** Undefined: how a rollout goes is not looked at. */
  readonly followUps?: Pick<FollowUps, "rolled">;
  /** Undefined: nothing holds a roll. */
  readonly brakes?: Brakes;
  /** Ends shared reads when the process stops. */
  readonly lifetime: AbortSignal;
}

/** A conflict is read and decided again in place this often before it goes back to the queue. */
const conflictsInPlace = 3;
/** The longest first pause; it doubles with each conflict. */
const conflictPauseMs = 20;
/** A cluster this worker has not connected to yet, or was not told of. */
const unknownClusterMs = 5000;

/**
 * Makes one workload match the world: reads it and its sources now, compares with what it carries, writes on a difference,
 * checks the answer. Whatever message led here, and however often, the outcome is the same.
 */
export function createReconciler(options: ReconcilerOptions): Handler {
  const { clock, log, meter } = options;
  const sources = createSourceReader(options);
  const observe = createObserve({ ...options, sources });
  const write = createWriter({ ...options, sources });

  return async function reconcileWorkload(request, delivery) {
    const startedAt = clock.monotonic();
    const spent = () => (clock.monotonic() - startedAt) / 1000;
    const cluster = await options.engaged(request.cluster);
    if (cluster === undefined) {
      meter.reconciled(unknownCluster, "held", spent(), request.workload);
      return { type: "again", afterMs: unknownClusterMs, reason: "ClusterUnknown" };
    }
    const fields = { cluster: cluster.name, workload: request.workload };
    try {
      const outcome = await decideAndWrite(request, delivery, cluster);
      meter.reconciled(
        cluster.name,
        typeof outcome === "string" ? outcome : "held",
        spent(),
        request.workload,
      );
      return typeof outcome === "string" ? { type: "done", outcome } : outcome;
    } catch (error) {
      const fault = asFault(error);
      const result = { retry: "retry", delay: "delayed", drop: "dropped" } as const;
      meter.reconciled(cluster.name, result[fault.disposition.queue], spent(), request.workload);
      log[fault.disposition.level](
        { ...fields, reason: fault.code, attempt: delivery.attemptsMade + 1, err: fault.message },
        "workload not reconciled",
      );
      // Also at an adoption: a change that comes while one is tried again is found by it.
      if (isLookedAt(fault)) options.records.reconciled(request);
      if (isWorthReporting(fault, delivery.attemptsMade)) {
        const when = reportHead(request, cluster, clock);
        options.reporter?.failed({ ...when, code: fault.code, message: fault.message });
        options.history?.append([failureRecord(when, fault.code)]);
      }
      throw fault;
    }
  };

  async function decideAndWrite(
    request: Request,
    delivery: Delivery,
    cluster: EngagedCluster,
  ): Promise<Outcome | Again> {
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        return await decideAndWriteOnce(request, delivery, cluster);
      } catch (error) {
        const fault = asFault(error);
        if (fault.class !== "conflict" || conflicts === conflictsInPlace) throw fault;
        await clock.sleep(conflictPauseMs * 2 ** conflicts * options.random(), delivery.signal).catch(() => {
          throw new Fault("engine.aborted", "stopped while waiting to decide again");
        });
      }
    }
  }

  async function decideAndWriteOnce(
    request: Request,
    delivery: Delivery,
    cluster: EngagedCluster,
  ): Promise<Outcome | Again> {
    // Asked first: what waits now looks for itself, and may be over by the time this look is.
    if (delivery.purpose === "audit" && (await options.queue.waits(request))) return "unchanged";
    const observedAtMs = clock.monotonic();
    const observation = await observe(request, delivery, cluster);
    if (typeof observation === "string") {
      options.records.reconciled(request);
      return observation;
    }
    if ("again" in observation) return observation.again;
    if ("stash" in observation) return await finish(observation.stash, request, delivery, cluster);
    const { reading, eligibility, planned, observedSources } = observation;
    // What is not acted on is noted: whatever is resumed later does not run for an old change.
    const due = planned.type === "roll" && isActedOn(eligibility, options.settings) ? planned : undefined;
    return await write(reading, observedSources, {
      due,
      applied: planned.applied,
      stays: stayReasonOf(eligibility),
      observedAtMs,
    });
  }

  /** A stash was left over: whoever made it did not come to an end. */
  async function finish(
    stash: LiveWorkload,
    request: Request,
    delivery: Delivery,
    cluster: EngagedCluster,
  ): Promise<Outcome | Again> {
    const { api } = cluster;
    const fields = { cluster: cluster.name, workload: request.workload };
    const replacement = await finishReplacement(api, stash, delivery.signal);
    switch (replacement.type) {
      case "waiting":
        return replacement.again;
      case "unreadable":
        log.warn(
          { ...fields, reason: "StashUnreadable" },
          "a stash of a Job cannot be read; it is left alone",
        );
        return "ignored";
      case "made":
        log.info({ ...fields, job: replacement.live.ref.name }, "interrupted replacement finished");
        // Made from a decision of some time ago.
        await options.queue.add([
          {
            request: { ...request, workload: replacement.live.ref },
            quietPeriodMs: 0,
            maxWaitMs: 0,
            purpose: "adoption",
          },
        ]);
        return "recorded";
      case "undecided": {
        const workload = replacement.old;
        const outcome = await decideAndWriteOnce(
          { ...request, workload },
          { ...delivery, purpose: "change" },
          cluster,
        );
        if (typeof outcome !== "string") return outcome;
        const left = await api.readWorkload(stash.ref, delivery.signal);
        if (left?.uid === stash.uid && !left.isDeleting)
          await dropStash(api, stash, workload, delivery.signal);
        return outcome;
      }
    }
  }
}

/**
 * A fault that is the workload's own has been found by looking at it: nobody has to wait for it to go away. So has a right that is
 * missing: somebody has to grant it, and the streams say which of them lack one.
 */
function isLookedAt({ class: its, disposition }: Fault): boolean {
  return disposition.queue !== "delay" || its === "denied";
}

/** Why a workload that does not roll does not. */
function stayReasonOf(eligibility: Eligibility): StayReason {
  switch (eligibility) {
    case "suspended":
      return "WorkloadSuspended";
    case "finished":
      return "WorkloadFinished";
    case "owned":
      return "OwnedByAnother";
    default:
      return "ContentUnchanged";
  }
}
