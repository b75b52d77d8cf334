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

/** A change could not be brought to the pods, or their applied state could not be recorded, and a short wait will not mend it. */
export interface FailureReport extends Report {
  readonly code: FaultCode;
  /** The message of the fault: names, never content. */
  readonly message: string;
  /** The kind of each source that the roll is for; none where no roll is due, or where the kinds are not known. */
  readonly changedKinds: readonly SourceKind[];
}

/** The rollout of a roll has ended, well or badly. */
export interface EndReport extends Report {
  readonly uid: string;
  readonly result: RolloutResult;
  readonly reason: RolloutReason;
  /** The message of the controllers; empty when the rollout is healthy. */
  readonly message: string;
  readonly seconds: number;
}

/** An annotation of the workload cannot be read, or does not say what its author meant. */
export interface UnreadableReport extends Report {
  readonly uid: string;
  readonly problem: AnnotationProblem;
  /** Absent: the annotation cannot be read. */
  readonly reason?: "NamedSourceMissing" | "LintFinding";
  /** The lint rule. Then `problem` may be about a field that is no annotation. */
  readonly rule?: LintRuleId;
}

/** A roll is due and held. Reported when the hold begins, and from time to time while it lasts. */
export interface HoldReport extends Report {
  readonly uid: string;
  readonly reason: HoldReason;
  /** For people: who or what holds it. Names only. */
  readonly why: string;
  readonly untilMs?: number;
  /** The same unfinished rollouts have left no room for it for a minute. */
  readonly isStuck?: boolean;
}

/**
 * Notifies people outside. Every call returns at once, throws nothing and is never waited for: a slow or absent receiver never delays or
 * prevents a roll. A report that cannot be sent in time is counted and dropped.
 */
export interface Reporter {
  rolled(report: RollReport): void;
  failed(report: FailureReport): void;
  ended(report: EndReport): void;
  unreadable(report: UnreadableReport): void;
  held(report: HoldReport): void;
}

/** Passes every report on to each reporter. If one breaks its promise and throws, it is named in the log and the others go on. */
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

/** Counted attempts before people are notified: a server may fail or not answer for a minute. */
const patienceAttempts = 4;

/** Whether to report a fault to people now. A fault that the next attempt probably mends is not reported, nor one that concerns the whole cluster. */
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
 * The first attempt, and then each time the number of attempts has doubled. The request may have failed in another way at first, and a
 * fault that lasts for hours is reported again.
 */
function isFirstOrRare(attemptsMade: number): boolean {
  return (
    attemptsMade === 0 || (attemptsMade >= patienceAttempts && Number.isInteger(Math.log2(attemptsMade)))
  );
}
