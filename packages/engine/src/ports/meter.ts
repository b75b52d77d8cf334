import type { ClusterState } from "@fleet-reloader/domain/cluster/cluster-status";
import type { GateReason } from "@fleet-reloader/domain/cluster/gate-reason";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { RollReason } from "@fleet-reloader/domain/plan/reasons";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Outcome } from "./request.ts";
import type { StreamState } from "./source-stream.ts";

/** A way to notify people outside. */
export type Channel = "event" | "alert" | "webhook" | "update-webhook";

/**
 * The result of a notification. `folded`: counted in a digest. `repeated`: the same was sent a moment ago and is counted there.
 * `skipped`: nobody misses it, because its workload or cluster is gone, or the workload had very many. `dropped`: there was no room or no
 * right to send it. `failed`: it was sent, and no receiver accepted it. Somebody has to mend the last two.
 */
export type NotificationResult = "sent" | "folded" | "repeated" | "skipped" | "dropped" | "failed";

/** Whether a cluster that was registered can be used. */
export type RegistrationState = "usable" | "paused" | "unusable";

/** How the rollout of a roll ended. */
export type RolloutResult = "healthy" | "failed" | "stalled";

/** The result of a request with audit events. `unavailable`: the sender has to send it again. */
export type AuditRequestResult = "accepted" | "unauthorized" | "malformed" | "too-large" | "unavailable";

/** What an audit event led to: a hint, or the reason why not. `body`: it contained an object, whatever else it is. */
export type AuditEventResult =
  | "hint"
  | "stage"
  | "verb"
  | "subresource"
  | "resource"
  | "dry-run"
  | "refused"
  | "malformed"
  | "body";

/**
 * The stages of a change after it was written: a watch has seen it, a worker has taken up the request (after the quiet period and its
 * turn), the workload is patched, and its rollout is healthy.
 */
export type ChangeStage = "seen" | "taken" | "patched" | "healthy";

/** How a source was seen: by a list, or by an event of a watch. */
export type SourceSeen = "listed" | "created" | "changed" | "deleted";

/** Every measurement. Labels are closed sets: a cluster's display name, and no names of objects. */
export interface Meter {
  sourcesSeen(cluster: string, kind: SourceKind, count: number, how: SourceSeen): void;
  /** Their requests have been published, if any were due. */
  sourcesCompared(cluster: string, kind: SourceKind, count: number): void;
  requestsPublished(cluster: string, count: number): void;
  streamState(cluster: string, resource: string, state: StreamState): void;
  /** How many of the workloads that existed at the start no worker has reconciled yet. Undefined: nothing waits for them any more. */
  workloadsUnreconciled(cluster: string, count: number | undefined): void;
  /**
   * `held`: brakes hold it, or its result takes time. `delayed`: its cluster cannot be reached now. Neither counts as an attempt.
   * `conflict`: somebody else wrote the workload meanwhile, so it is decided again.
   */
  reconciled(
    cluster: string,
    result: Outcome | "retry" | "conflict" | "held" | "delayed" | "dropped",
    seconds: number,
    workload: WorkloadRef,
  ): void;
  /** Called once for each roll, with the reason of each changed source. The request may take longer, for example where finalizers hold a Job. */
  rolled(cluster: string, workload: WorkloadRef, reasons: readonly RollReason[]): void;
  /**
   * An attempt to write a roll that was due has failed. Not called where the attempt only waits: for the process to stop, for its turn, or
   * to be decided again after a conflict of which people are not notified yet.
   */
  rollFailed(cluster: string, workload: WorkloadRef): void;
  /** A change reached this stage. `seconds` counts from the stage before. */
  stageReached(cluster: string, stage: ChangeStage, seconds: number): void;
  /** `seconds` counts from the write of the roll. */
  rolloutEnded(cluster: string, workloadKind: string, result: RolloutResult, seconds: number): void;
  /** History records that were written, or dropped because they could not be written in time. */
  historyKept(result: "written" | "dropped", count: number): void;
  /** A roll was due and was held. */
  held(cluster: string, reason: HoldReason): void;
  /** Whether all declared freezes could be read just now. While they cannot be read, nothing is rolled. */
  freezesReadable(isReadable: boolean): void;
  stateLost(cluster: string): void;
  /** The number of clusters that this watcher owns. */
  clustersOwned(count: number): void;
  /** A request went back to the queue before any work on it began. */
  parked(cluster: string, reason: GateReason): void;
  breaker(cluster: string, isOpen: boolean): void;
  /** An audit found a roll that is due although no request for it exists. */
  auditFound(cluster: string, workloadKind: string): void;
  /** Undefined: the cluster does not exist any more. */
  clusterState(cluster: string, state: ClusterState | undefined): void;
  /** The name of the cluster is `""` where no credential identifies it. */
  auditRequest(cluster: string, result: AuditRequestResult): void;
  auditEvents(cluster: string, result: AuditEventResult, count: number): void;
  /** Changes that a list found and no hint had announced. */
  hintsMissed(cluster: string, count: number): void;
  notified(channel: Channel, result: NotificationResult, count: number): void;
  /** The current number of registrations of a provider in this state. */
  registrations(provider: string, state: RegistrationState, count: number): void;
}
