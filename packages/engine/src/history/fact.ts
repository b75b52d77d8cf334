import type { AnnotationProblem } from "@fleet-reloader/domain/annotation/problem";
import type { Fault } from "@fleet-reloader/domain/fault";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { LintRuleId } from "@fleet-reloader/domain/lint/rules";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { ChangedObservation } from "@fleet-reloader/domain/plan/plan";
import type { StayReason } from "@fleet-reloader/domain/plan/reasons";
import type { RolloutReason } from "@fleet-reloader/domain/rollout-state/reasons";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import type { ReloadStrategy } from "@fleet-reloader/domain/strategy/reload-strategy";
import type { Meter, RolloutResult } from "../ports/meter.ts";
import type { CausingSource } from "./history.ts";

/**
 * One thing that was found or done for a workload. Reconcile and follow return facts; the `Recorder` alone turns them into log lines,
 * metrics, reports, history and follow-ups. Names, times and reasons: never a value, a mark or a hash.
 */
export type Fact =
  | RolledFact
  | HeldFact
  | StayedFact
  | UnreadableFact
  | MissingNameFact
  | FailedFact
  | RolloutEndedFact
  /** The applied state on the workload was written; `isRemoved`: it was removed, because the workload no longer opts in to anything. */
  | { readonly type: "recorded"; readonly isRemoved: boolean }
  /** A pause has ended: rolls that were made during it reach the pods from now on. */
  | { readonly type: "resumed" }
  /** An audit found changed sources that a watch should have shown. */
  | { readonly type: "change-missed"; readonly changed: readonly ChangedObservation[] }
  /** The workload was deleted. The sources are those that it was rolled for, if they are known. */
  | { readonly type: "gone"; readonly sources: readonly CausingSource[] }
  /** A stash of a Job does not say what it replaces. */
  | { readonly type: "stash-unreadable" }
  /** The replacement of a Job that an earlier worker began is complete. */
  | { readonly type: "replacement-finished"; readonly job: string }
  /** A request has ended. */
  | {
      readonly type: "reconciled";
      readonly result: Parameters<Meter["reconciled"]>[1];
      readonly seconds: number;
    }
  /** The state of a rollout could not be read. */
  | { readonly type: "rollout-unread"; readonly fault: Fault };

/** A roll was written. */
export interface RolledFact {
  readonly type: "rolled";
  readonly uid: string;
  /** The generation that the write produced. Undefined: the roll wrote another object, or its end is not known yet. */
  readonly generation?: number | undefined;
  readonly strategy: ReloadStrategy;
  readonly changed: readonly ChangedObservation[];
  readonly observedSources: readonly ObservedSource[];
}

/** A roll is due, and admission holds it. */
export interface HeldFact {
  readonly type: "held";
  readonly uid: string;
  readonly reason: HoldReason;
  /** For people: what holds it. Names only. */
  readonly why: string;
  readonly untilMs: number | undefined;
  /** Undefined: this hold was reported before and has not changed. It is counted, and nobody is notified. */
  readonly news: "begins" | "stuck" | undefined;
  readonly changed: readonly ChangedObservation[];
  readonly observedSources: readonly ObservedSource[];
}

/** A change was observed, and nothing rolls. */
export interface StayedFact {
  readonly type: "stayed";
  readonly reason: StayReason;
  readonly observedSources: readonly ObservedSource[];
  readonly templateChangedAtSeconds: number;
}

/** An annotation cannot be read, or does not say what its author meant. */
export interface UnreadableFact {
  readonly type: "unreadable";
  readonly uid: string;
  readonly problem: AnnotationProblem;
  /** The lint rule that found it, perhaps in a field that is no annotation. */
  readonly rule?: LintRuleId;
}

/** An annotation names a source that does not exist. */
export interface MissingNameFact {
  readonly type: "name-missing";
  readonly uid: string;
  readonly source: SourceRef;
  /** The most similar existing name. */
  readonly nearest: string | undefined;
  readonly problem: AnnotationProblem;
}

/** A request ended with a fault. */
export interface FailedFact {
  readonly type: "failed";
  readonly fault: Fault;
  readonly attemptsMade: number;
  /** Absent: no roll was due, or it is not known. */
  readonly roll?: Pick<RolledFact, "changed" | "observedSources">;
}

/** The rollout of a roll has ended, well or badly. */
export interface RolloutEndedFact {
  readonly type: "rollout-ended";
  readonly uid: string;
  readonly result: RolloutResult;
  readonly reason: RolloutReason;
  /** The message of the controllers; empty when the rollout is healthy. */
  readonly message: string;
  /** When the roll was written, and how long the rollout took. */
  readonly rolledAtMs: number;
  readonly seconds: number;
  readonly sources: readonly CausingSource[];
  /** It is healthy after a bad end that was reported. */
  readonly isRecovery: boolean;
}
