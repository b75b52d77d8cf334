import type { ClusterState } from "@fleet-reloader/domain/cluster/cluster-status";
import type { GateReason } from "@fleet-reloader/domain/cluster/gate-reason";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { RollReason } from "@fleet-reloader/domain/plan/reasons";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Outcome } from "./request.ts";
import type { StreamState } from "./source-stream.ts";

/** A way to tell people outside what was done. */
export type Channel = "event" | "alert" | "webhook" | "update-webhook";

/**
 * What came of a notification. `folded`: counted in a digest. `repeated`: the same was told a moment ago, and is counted there.
 * `skipped`: nobody misses it, since its workload or cluster is gone, or the workload had very many of them. `dropped`: there was no room
 * or no right to send it. `failed`: it was sent, and nobody took it. The last two are somebody's to mend.
 */
export type NotificationResult = "sent" | "folded" | "repeated" | "skipped" | "dropped" | "failed";

/** Whether a cluster that was registered can be used. */
export type RegistrationState = "usable" | "paused" | "unusable";

/** How the rollout of a roll ended. */
export type RolloutResult = "healthy" | "failed" | "stalled";

/** What came of a request with audit events. `unavailable`: it is to be sent again. */
export type AuditRequestResult = "accepted" | "unauthorized" | "malformed" | "too-large" | "unavailable";

/** What an audit event was good for: a hint, or why it is none. `body`: it contained an object, whatever else it is. */
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

/** What is measured, as sentences. Labels are closed sets: clusters by what people call them, no names of objects. */
export interface Meter {
  sourcesSeen(cluster: string, kind: SourceKind, count: number, how: SourceSeen): void;
  /** Whatever had to be published for them has been. */
  sourcesCompared(cluster: string, kind: SourceKind, count: number): void;
  requestsPublished(cluster: string, count: number): void;
  streamState(cluster: string, resource: string, state: StreamState): void;
  /** How many workloads that were there at the start no worker has looked at yet. Undefined: nobody waits for them any more. */
  workloadsUnreconciled(cluster: string, count: number | undefined): void;
  /**
   * `held`: a brake holds it, or it takes its time. `delayed`: its cluster cannot be asked now. Neither counts as an attempt.
   * `conflict`: somebody else wrote the workload meanwhile, so it is decided again.
   */
  reconciled(
    cluster: string,
    result: Outcome | "retry" | "conflict" | "held" | "delayed" | "dropped",
    seconds: number,
    workload: WorkloadRef,
  ): void;
  /** Once for each roll, with the reason of each changed source. Its request may take longer, as where finalizers hold a Job. */
  rolled(cluster: string, workload: WorkloadRef, reasons: readonly RollReason[]): void;
  /** A change reached this stage so long after the one before. */
  stageReached(cluster: string, stage: ChangeStage, seconds: number): void;
  /** `seconds` from the write of the roll. */
  rolloutEnded(cluster: string, workloadKind: string, result: RolloutResult, seconds: number): void;
  /** Records of what happened: kept, or lost since they could not be in time. */
  historyKept(result: "written" | "dropped", count: number): void;
  /** A roll is due and was held. */
  held(cluster: string, reason: HoldReason): void;
  /** Whether all that is declared frozen could be read just now; where not, nothing is rolled. */
  freezesReadable(isReadable: boolean): void;
  stateLost(cluster: string): void;
  /** Clusters this watcher has, of those it shares with others. */
  clustersOwned(count: number): void;
  /** A request went back to the queue before anything of it was done. */
  parked(cluster: string, reason: GateReason): void;
  breaker(cluster: string, isOpen: boolean): void;
  /** A look that nobody asked for found a roll that is due, and nothing that leads to it. */
  auditFound(cluster: string, workloadKind: string): void;
  /** Undefined: there is no such cluster any more. */
  clusterState(cluster: string, state: ClusterState | undefined): void;
  /** The name of the cluster is `""` where no credential tells it. */
  auditRequest(cluster: string, result: AuditRequestResult): void;
  auditEvents(cluster: string, result: AuditEventResult, count: number): void;
  /** Changes that a list found although no hint told of them. */
  hintsMissed(cluster: string, count: number): void;
  notified(channel: Channel, result: NotificationResult, count: number): void;
  /** How many registrations of a provider are in a state now. */
  registrations(provider: string, state: RegistrationState, count: number): void;
}
