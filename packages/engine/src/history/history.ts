import type { UnservedReason } from "@fleet-reloader/domain/decision/reasons";
import type { AuditedUser } from "@fleet-reloader/domain/hint/audited-write";
import type { FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import type { RollReason } from "@fleet-reloader/domain/plan/reasons";
import type { RolloutReason } from "@fleet-reloader/domain/rollout-state/reasons";
import type { FleetChangeId } from "@fleet-reloader/domain/source/fleet-change";
import type { SourceRef, SourceWriter } from "@fleet-reloader/domain/source/source";
import type { ReloadStrategy } from "@fleet-reloader/domain/strategy/reload-strategy";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { ClusterId } from "../ports/request.ts";

/** The reason of a `no` for a deleted workload. Its holds, rolls and failures have ended. */
export const workloadGone = "WorkloadGone" satisfies UnservedReason;

/** Raised when a field changes its meaning or is removed. New fields and types of records may be added at any time. */
export const historyVersion = 1;

/**
 * What happened to the fleet, in the order of the calls. Every call returns at once, throws nothing and is never waited for: no roll is
 * delayed or prevented by it. Records that cannot be kept are counted.
 */
export interface History {
  append(records: readonly HistoryRecord[]): void;
}

/** One thing that happened. Names, times, reasons and keyed ids: never a value, a mark or an unkeyed hash. */
export type HistoryRecord = ChangeRecord | DecisionRecord | ActionRecord | OutcomeRecord | OperatorRecord;

interface HistoryEntry {
  readonly v: typeof historyVersion;
  /** When it was recorded, as RFC 3339 in UTC with milliseconds. */
  readonly time: string;
  /** Undefined where it is about the whole fleet. */
  readonly cluster?: { readonly id: ClusterId; readonly name: string };
}

/** A source was written. It is not known which keys changed. Several workers may record the same change under the same id. */
export interface ChangeRecord extends HistoryEntry {
  readonly type: "change";
  readonly change: ChangeId;
  /** The same content of the same source has the same id on every cluster. Undefined in records of older versions. */
  readonly fleetChange?: FleetChangeId;
  readonly source: SourceRef;
  readonly resourceVersion: string;
  /** The field manager that wrote its content last. Undefined where the API server does not say. */
  readonly actor?: Pick<SourceWriter, "manager" | "operation"> & {
    readonly time: string;
    /** The users who may have made the write, from audit events. More than one if several wrote in the same second. Absent: no event came. */
    readonly users?: readonly AuditedUser[];
  };
}

/** One version of one source of one cluster: what decisions, actions and outcomes refer to. */
export type ChangeId = string;

/** A source as the cause of something. */
export interface CausingSource extends SourceRef {
  /** Undefined where its version is not known, such as after its deletion. */
  readonly change?: ChangeId;
  readonly reason?: RollReason;
}

/** What was decided about a change for one workload. */
export interface DecisionRecord extends HistoryEntry {
  readonly type: "decision";
  readonly workload: WorkloadRef;
  readonly verdict: "roll" | "no" | "held";
  /** For `no`: one of `stayReasons`, or `workloadGone`. For `held`: the reason of the hold. For `roll`: the reason of the first source. */
  readonly reason: string;
  readonly sources: readonly CausingSource[];
}

/** A write to a workload that was made or failed, or a failed roll that somebody discarded. */
export interface ActionRecord extends HistoryEntry {
  readonly type: "action";
  readonly workload: WorkloadRef;
  readonly action: "rolled" | "failed" | "discarded";
  readonly strategy?: ReloadStrategy;
  /** Why it failed. */
  readonly fault?: string;
  /** Who discarded it, and why. */
  readonly by?: string;
  readonly why?: string;
  readonly sources: readonly CausingSource[];
}

/** The end of the rollout of a roll. */
export interface OutcomeRecord extends HistoryEntry {
  readonly type: "outcome";
  readonly workload: WorkloadRef;
  readonly result: "healthy" | "failed" | "stalled";
  readonly reason: RolloutReason;
  /** The message of the controllers, shortened. */
  readonly message?: string;
  /** Seconds since the write of the roll. */
  readonly seconds: number;
  readonly sources: readonly CausingSource[];
}

/** An operator's command: a freeze, a retry. */
export interface OperatorRecord extends HistoryEntry {
  readonly type: "operator";
  readonly action: string;
  /** The operator, as far as known. */
  readonly by: string;
  /** The target, as the operator wrote it. */
  readonly target: string;
  /** The named part of the target; empty where it is about the whole fleet. */
  readonly scope?: Omit<FreezeScope, "clusterSelector">;
  readonly note?: string;
  /** The reason, as the operator wrote it. Undefined in older records, which contain it only in the note. */
  readonly reason?: string;
  /** How many workloads this record applies to. Undefined if they are not counted. */
  readonly count?: number;
  /** Undefined: the act was done at once. */
  readonly part?: ActPart;
}

/** The place of a record in an act that is done in parts. A repeated part has the same place. */
export interface ActPart {
  /** The id of the act, the same in all of its parts. */
  readonly id: string;
  /** How many workloads the whole act applied to when it began. */
  readonly of: number;
  /** How many of them were done before this part. */
  readonly before: number;
}
