import type { AnnotationProblem } from "@fleet-reloader/domain/annotation/problem";
import { asFault, type Fault, type FaultCode } from "@fleet-reloader/domain/fault";
import type { HoldReason } from "@fleet-reloader/domain/hold/reasons";
import type { LintRuleId } from "@fleet-reloader/domain/lint/rules";
import type { RollReason } from "@fleet-reloader/domain/plan/reasons";
import type { RolloutReason } from "@fleet-reloader/domain/rollout-state/reasons";
import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import type { ReloadStrategy } from "@fleet-reloader/domain/strategy/reload-strategy";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Log } from "./log.ts";
import type { RolloutResult } from "./meter.ts";
import type { ClusterId } from "./request.ts";

/** Which workload of which cluster a report is about, and when it was made. */
interface Report {
  readonly cluster: ClusterId;
  /** What people call the cluster. */
  readonly clusterName: string;
  readonly workload: WorkloadRef;
  readonly atMs: number;
}

/** A pod template was changed. Names and reasons only: neither content nor marks. */
export interface RollReport extends Report {
  readonly uid: string;
  readonly strategy: ReloadStrategy;
  readonly sources: readonly RolledSource[];
}

export interface RolledSource extends SourceRef {
  readonly reason: RollReason;
}

/** A change could not be brought to the pods, or what they carry not be noted, and waiting a moment will not do. */
export interface FailureReport extends Report {
  readonly code: FaultCode;
  /** What the fault says: names, never content. */
  readonly message: string;
  /** The kind of each source that the roll is for; none where no roll is due, or it is not known. */
  readonly changedKinds: readonly SourceKind[];
}

/** The rollout that a roll began has ended, one way or another. */
export interface EndReport extends Report {
  readonly uid: string;
  readonly result: RolloutResult;
  readonly reason: RolloutReason;
  /** In the words of the controllers; empty when it is healthy. */
  readonly message: string;
  readonly seconds: number;
}

/** An annotation of the workload does not say what its writer meant. */
export interface UnreadableReport extends Report {
  readonly uid: string;
  readonly problem: AnnotationProblem;
  /** Absent: it cannot be read. */
  readonly reason?: "NamedSourceMissing" | "LintFinding";
  /** The rule of lint; then `problem` may be about a field that is no annotation. */
  readonly rule?: LintRuleId;
}

/** A roll is due and held. Told when the hold begins, and now and then while it goes on. */
export interface HoldReport extends Report {
  readonly uid: string;
  readonly reason: HoldReason;
  /** For people: who or what holds it. Names only. */
  readonly why: string;
  readonly untilMs?: number;
  /** The same unfinished rollouts leave no room for it, and have for a minute. */
  readonly isStuck?: boolean;
}

/**
 * Tells people outside what was done. Every call returns at once, throws nothing and is never waited for: no roll is later,
 * or not made, because somebody who listens is slow or gone. What cannot be told in time is counted and forgotten.
 */
export interface Reporter {
  rolled(report: RollReport): void;
  failed(report: FailureReport): void;
  ended(report: EndReport): void;
  unreadable(report: UnreadableReport): void;
  held(report: HoldReport): void;
}

/** Passes every report on to each. One that breaks its promise and throws is named in the log and disturbs nobody. */
export function reportToEach(reporters: readonly Reporter[], log: Log): Reporter {
  const each = (tell: (reporter: Reporter) => void): void => {
    for (const reporter of reporters) {
      try {
        tell(reporter);
      } catch (error) {
        log.error({ reason: "engine.invariant", err: asFault(error).message }, "a reporter has thrown");
      }
    }
  };
  return {
    rolled: (report) => each((reporter) => reporter.rolled(report)),
    failed: (report) => each((reporter) => reporter.failed(report)),
    ended: (report) => each((reporter) => reporter.ended(report)),
    unreadable: (report) => each((reporter) => reporter.unreadable(report)),
    held: (report) => each((reporter) => reporter.held(report)),
  };
}

/** A server that fails or does not answer may do so for a minute; counted attempts before people are told. */
const patienceAttempts = 4;

/**
 * Whether people have to hear of a fault now. Not of one that the next attempt is likely to mend, nor of what concerns a whole
 * cluster rather than this workload.
 */
export function isWorthReporting(fault: Fault, attemptsMade: number): boolean {
  switch (fault.class) {
    case "invalid":
    case "denied":
    case "invariant":
      return true;
    case "transient":
      if (fault.code === "engine.write-rewritten") return isFirstOrRare(attemptsMade);
      return fault.code === "kube.rejected" || attemptsMade >= patienceAttempts;
    case "conflict":
      return attemptsMade >= patienceAttempts;
    default:
      return false;
  }
}

/**
 * The first attempt, and later ones ever less often: each time their number has doubled. The request may have failed in another way at
 * first, and what goes on for hours is told again.
 */
function isFirstOrRare(attemptsMade: number): boolean {
  return (
    attemptsMade === 0 || (attemptsMade >= patienceAttempts && Number.isInteger(Math.log2(attemptsMade)))
  );
}
