import type { AnnotationProblem } from "@fleet-reloader/domain/annotation/problem";
import type { NoReason, UnservedReason, YesReason } from "@fleet-reloader/domain/decision/reasons";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { RollReason, StayReason } from "@fleet-reloader/domain/plan/reasons";
import type { ReferenceUse } from "@fleet-reloader/domain/reference/collect";
import type { ReferencedKeys } from "@fleet-reloader/domain/reference/object-use";
import type { PodKeeper } from "@fleet-reloader/domain/rollout-state/revisioned";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";

/** The answer to "what would a worker do with this workload now, and why". Names, times and reasons: never content, a mark or a digest. */
export interface Explanation extends EndedBadly {
  /** The display name of the cluster. */
  readonly cluster: string;
  readonly workload: WorkloadRef;
  /** The time of the question, as RFC 3339 in UTC. */
  readonly time: string;
  readonly verdict: ExplainedVerdict;
  readonly optIn: readonly OptInClause[];
  readonly sources: readonly ExplainedSource[];
  /** The unreadable annotations. */
  readonly problems: readonly AnnotationProblem[];
  readonly isPaused: boolean;
  /** When its pause ends by itself, as RFC 3339 in UTC. Absent: it is not paused, or a person paused it. */
  readonly pausedUntil?: string | undefined;
  /** Undefined: a roll reaches every pod by itself. */
  readonly podKeeper?: PodKeeper | undefined;
  /** Undefined: Redis was not asked. */
  readonly waiting?: ExplainedWait | undefined;
}

/** Its last roll, if that failed; at most one of both. Neither: it did not fail, or Redis was not asked. */
export interface EndedBadly {
  readonly failed?: UnsuccessfulRoll | undefined;
  readonly discarded?: DiscardedRoll | undefined;
}

/** A roll that could not be written, or whose rollout failed or stalled. */
export interface UnsuccessfulRoll {
  readonly result: "failed" | "stalled";
  /** The reason of the rollout, or the code of the write's fault. */
  readonly reason: string;
  /** The meaning of the reason, and what to do; empty: not known here. */
  readonly meaning: string;
  /** The message of the controllers. */
  readonly message?: string | undefined;
  /** When, as RFC 3339 in UTC. */
  readonly time: string;
}

/** A roll that failed and that an operator discarded. */
export interface DiscardedRoll {
  /** The operator, and the reason. */
  readonly by: string;
  readonly reason: string;
  /** When, as RFC 3339 in UTC. */
  readonly time: string;
}

export type ExplainedVerdict =
  | { readonly type: "roll"; readonly causes: readonly ExplainedCause[] }
  | {
      readonly type: "held";
      readonly causes: readonly ExplainedCause[];
      readonly reason: HoldReason;
      /** For people: who or what holds it. */
      readonly why: string;
      /** RFC 3339. Absent: the end is not known, or depends on other rolls. */
      readonly until?: string | undefined;
    }
  | { readonly type: "stays"; readonly reason: StayReason | NoReason }
  /** No worker decides on it. */
  | { readonly type: "unserved"; readonly reason: UnservedReason }
  /** The answer does not follow from what is known here. */
  | { readonly type: "unknown"; readonly reason: "WorkloadsNotListed" | "KeyUnknown" };

/** A source that makes the workload roll. */
export interface ExplainedCause {
  readonly source: SourceRef;
  readonly reason: RollReason;
}

/** One annotation, or the flag that stands for one, and what it means. */
export interface OptInClause {
  readonly name: string;
  /** As written, cut when long. */
  readonly value: string;
  readonly on: "workload" | "template" | "flag";
  readonly means: string;
}

/** One source that the workload uses or names. */
export interface ExplainedSource {
  readonly source: SourceRef;
  readonly counts: boolean;
  readonly reason: YesReason | NoReason | "SourceKindNotServed";
  /** The keys that matter. */
  readonly keys: ReferencedKeys;
  /** How the pod template uses it; none: only an annotation names it. */
  readonly uses: readonly ReferenceUse[];
  /** The pods start without it. */
  readonly isOptional: boolean;
  /** `unseen`: it may exist, and is not served or shows no content. `unread`: it does not count, so it was not read. */
  readonly state: "present" | "missing" | "unseen" | "unread";
  /** For a missing source: the existing name that was probably meant. */
  readonly nearest?: string | undefined;
  /** The state of the source in the applied state: `none` if it is not in there. */
  readonly applied: "present" | "absent" | "none";
  /** Absent: it gives no reason to roll. */
  readonly rolls?: RollReason | undefined;
  /** The source's own annotation that freezes rolls for it. */
  readonly frozenBy?: string | undefined;
}

/** What waits in the queue for the workload. */
export interface ExplainedWait {
  readonly isWaiting: boolean;
  readonly hold?:
    | {
        readonly reason: string;
        /** RFC 3339. When a worker asks again at the latest, and when the hold ends by itself. */
        readonly again: string;
        readonly until?: string | undefined;
      }
    | undefined;
}
