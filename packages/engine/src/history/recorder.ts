import type { FaultClass } from "@fleet-reloader/domain/fault";
import type { ChangedObservation } from "@fleet-reloader/domain/plan/plan";
import type { Clock } from "../async/clock.ts";
import type { EngagedCluster } from "../ports/cluster-api.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import { isWorthReporting, type Reporter } from "../ports/reporter.ts";
import type { Request } from "../ports/request.ts";
import type { Delivery } from "../ports/workqueue.ts";
import { stagesOfRoll } from "./change-stages.ts";
import type {
  Fact,
  FailedFact,
  HeldFact,
  MissingNameFact,
  RolledFact,
  RolloutEndedFact,
  UnreadableFact,
} from "./fact.ts";
import type { FleetChanges } from "./fleet-changes.ts";
import type { CausingSource, History } from "./history.ts";
import {
  causesOf,
  failureRecords,
  goneRecord,
  heldRecords,
  noRecords,
  outcomeRecord,
  rollRecords,
} from "./records.ts";
import { reportHead } from "./report-head.ts";
import { tracedRoll } from "./traced-roll.ts";
import type { Tracer } from "./tracer.ts";

/** The workload and cluster that facts are about. */
export interface FactSubject {
  readonly request: Request;
  readonly cluster: Pick<EngagedCluster, "name">;
  /** Absent: no delivery of the queue led to them. */
  readonly delivery?: Pick<Delivery, "times">;
}

/** Turns facts into log lines, metrics, reports, history and follow-ups. It decides nothing, waits for nothing and throws nothing. */
export interface Recorder {
  record(about: FactSubject, facts: readonly Fact[]): void;
}

export interface RecorderOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** Undefined: nobody outside is notified. */
  readonly reporter?: Reporter | undefined;
  /** Undefined: no history is kept. */
  readonly history?: History | undefined;
  /** Undefined: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** Undefined: changes are recorded without a fleet-wide id. */
  readonly fleetChanges?: FleetChanges | undefined;
  /** Undefined: rollouts are not followed. */
  readonly followUps?: RollSink | undefined;
}

/** The workload as the roll left it. */
interface MadeVersion {
  readonly uid: string;
  readonly generation: number;
}

/** Accepts rolls whose rollouts are to be followed. */
interface RollSink {
  rolled(started: {
    readonly request: Request;
    readonly run: { readonly rolledAtMs: number; readonly sources: readonly CausingSource[] };
    readonly made?: MadeVersion | undefined;
  }): void;
}

export function createRecorder(options: RecorderOptions): Recorder {
  return {
    record(about, facts) {
      for (const fact of facts) recordFact(options, about, fact);
    },
  };
}

function recordFact(options: RecorderOptions, about: FactSubject, fact: Fact): void {
  const { clock, log, meter, reporter, history, fleetChanges, followUps } = options;
  switch (fact.type) {
    case "rolled":
      recordRoll(options, about, fact);
      break;
    case "held":
      recordHold(options, about, fact);
      break;
    case "stayed":
      history?.append(noRecords({ ...reportHead(about.request, about.cluster, clock), fleetChanges }, fact));
      break;
    case "unreadable":
      recordUnreadable({ clock, log, reporter }, about, fact);
      break;
    case "name-missing":
      recordMissingName({ clock, log, reporter }, about, fact);
      break;
    case "change-missed":
      recordMissedChange(log, meter, about, fact.changed);
      break;
    case "failed":
      recordFailure(options, about, fact);
      break;
    case "gone":
      history?.append([goneRecord(reportHead(about.request, about.cluster, clock), fact.sources)]);
      break;
    case "rollout-ended":
      recordRolloutEnd(options, about, fact);
      break;
    case "resumed":
      followUps?.rolled({ request: about.request, run: { rolledAtMs: clock.now(), sources: [] } });
      break;
    case "reconciled":
      meter.reconciled(about.cluster.name, fact.result, fact.seconds, about.request.workload);
      break;
    default:
      logOnly(log, about, fact);
      break;
  }
}

type LoggedFact = Extract<
  Fact,
  { readonly type: "recorded" | "stash-unreadable" | "replacement-finished" | "rollout-unread" }
>;

/** Logs facts that people are not notified of. */
function logOnly(log: Log, about: FactSubject, fact: LoggedFact): void {
  const fields = fieldsOf(about);
  switch (fact.type) {
    case "recorded":
      log.debug(fields, fact.isRemoved ? "applied state removed" : "applied state recorded");
      break;
    case "stash-unreadable":
      log.warn({ ...fields, reason: "StashUnreadable" }, "a stash of a Job cannot be read; it is left alone");
      break;
    case "replacement-finished":
      log.info({ ...fields, job: fact.job }, "interrupted replacement finished");
      break;
    case "rollout-unread":
      log.debug(
        { ...fields, reason: fact.fault.code, err: fact.fault.message },
        "a rollout could not be checked",
      );
      break;
  }
}

function recordRoll(options: RecorderOptions, about: FactSubject, fact: RolledFact): void {
  const { log, meter, reporter, history } = options;
  const { request, cluster } = about;
  const { uid, strategy, changed, observedSources } = fact;
  const reasons = changed.map(({ reason }) => reason);
  meter.rolled(cluster.name, request.workload, reasons);
  log.info({ ...fieldsOf(about), strategy, sources: sourceNamesOf(changed) }, "workload rolled");
  const head = reportHead(request, cluster, options.clock);
  const sources = changed.map(({ source, reason }) => ({ ...source, reason }));
  reporter?.rolled({ ...head, uid, strategy, sources });
  const causes = causesOf(request.cluster, changed, observedSources);
  const changeHead = { ...head, fleetChanges: options.fleetChanges };
  history?.append(rollRecords(changeHead, { strategy, sources: causes, observedSources }));
  for (const { stage, seconds } of stagesOfRoll(fact, about.delivery?.times, head.atMs))
    meter.stageReached(cluster.name, stage, seconds);
  const made = fact.generation === undefined ? undefined : { uid, generation: fact.generation };
  options.followUps?.rolled({ request, run: { rolledAtMs: head.atMs, sources: causes }, made });
  options.tracer?.rolled(tracedRoll(fact, about.delivery?.times, { head, causes }));
}

/** Counts every hold. A hold that is news goes to the log and to people. One that begins also goes to the history. */
function recordHold(
  { clock, log, meter, reporter, history, fleetChanges }: RecorderOptions,
  about: FactSubject,
  { uid, reason, why, untilMs, news, changed, observedSources }: HeldFact,
): void {
  meter.held(about.cluster.name, reason);
  if (news === undefined) return;
  const head = reportHead(about.request, about.cluster, clock);
  if (news === "begins") {
    const sources = causesOf(about.request.cluster, changed, observedSources);
    history?.append(heldRecords({ ...head, fleetChanges }, reason, { sources, observedSources }));
  }
  log.info({ ...fieldsOf(about), reason, why }, "roll held");
  const report = { ...head, uid, reason, why, isStuck: news === "stuck" };
  reporter?.held(untilMs === undefined ? report : { ...report, untilMs });
}

/** The longest value of an annotation in a log line: longer ones were not meant to be read. */
const loggedValueMax = 200;

/** What it takes to tell people about annotations. */
type NoticeDependencies = Pick<RecorderOptions, "clock" | "log" | "reporter">;

function recordUnreadable(
  { clock, log, reporter }: NoticeDependencies,
  about: FactSubject,
  { uid, problem, rule }: UnreadableFact,
): void {
  const { annotation, mend } = problem;
  const found = rule === undefined ? {} : ({ reason: "LintFinding", rule } as const);
  reporter?.unreadable({ ...reportHead(about.request, about.cluster, clock), uid, problem, ...found });
  const value = problem.value.slice(0, loggedValueMax);
  const what = rule === undefined ? "annotation" : `${rule}:`;
  log.warn(
    { ...fieldsOf(about), annotation, value, reason: found.reason ?? "AnnotationUnreadable" },
    `${what} ${annotation} ${problem.problem}; ${mend}`,
  );
}

function recordMissingName(
  { clock, log, reporter }: NoticeDependencies,
  about: FactSubject,
  { uid, source, nearest, problem }: MissingNameFact,
): void {
  const reason = "NamedSourceMissing";
  const found = { ...fieldsOf(about), source, reason };
  log.warn(
    nearest === undefined ? found : { ...found, nearest },
    "an annotation names a source that does not exist and that the pod template does not reference",
  );
  reporter?.unreadable({ ...reportHead(about.request, about.cluster, clock), uid, reason, problem });
}

function recordMissedChange(
  log: Log,
  meter: Meter,
  about: FactSubject,
  changed: readonly ChangedObservation[],
): void {
  const sources = sourceNamesOf(changed);
  meter.auditFound(about.cluster.name, about.request.workload.kind);
  log.warn(
    { ...fieldsOf(about), reason: sources[0]?.reason, sources },
    "audit found a change that was missed",
  );
}

/** After such a fault the roll only waits: to be decided again, for its turn, or for another process. */
const waitingClasses: ReadonlySet<FaultClass> = new Set(["conflict", "throttled", "aborted"]);

function recordFailure(
  { clock, log, meter, reporter, history, fleetChanges }: RecorderOptions,
  about: FactSubject,
  { fault, attemptsMade, roll }: FailedFact,
): void {
  const { code, message, disposition } = fault;
  const isTold = isWorthReporting(fault, attemptsMade);
  if (roll !== undefined && (isTold || !waitingClasses.has(fault.class)))
    meter.rollFailed(about.cluster.name, about.request.workload);
  log[isTold && disposition.level === "debug" ? "warn" : disposition.level](
    { ...fieldsOf(about), reason: code, attempt: attemptsMade + 1, err: message },
    "workload not reconciled",
  );
  if (!isTold) return;
  const head = reportHead(about.request, about.cluster, clock);
  const changedKinds = roll?.changed.map(({ source }) => source.kind) ?? [];
  reporter?.failed({ ...head, code, message, changedKinds });
  history?.append(failureRecords({ ...head, fleetChanges }, code, roll));
}

function recordRolloutEnd(
  { clock, log, meter, reporter, history, tracer }: RecorderOptions,
  about: FactSubject,
  { uid, result, reason, message, rolledAtMs, seconds, sources, isRecovery }: RolloutEndedFact,
): void {
  // Each rollout is measured once: the time of a recovery is the time that a person took.
  if (!isRecovery) meter.rolloutEnded(about.cluster.name, about.request.workload.kind, result, seconds);
  if (result === "healthy" && !isRecovery) meter.stageReached(about.cluster.name, "healthy", seconds);
  const fields = { ...fieldsOf(about), result, reason, durationMs: Math.round(seconds * 1000) };
  if (result === "healthy") log.info(fields, isRecovery ? "rollout recovered" : "rollout ended");
  else log.warn({ ...fields, said: message }, "rollout ended");
  const head = reportHead(about.request, about.cluster, clock);
  const report = { ...head, uid, result, reason, message, seconds };
  reporter?.ended(report);
  const { cluster, clusterName, workload } = report;
  const endedAtMs = rolledAtMs + Math.round(seconds * 1000);
  if (!isRecovery) tracer?.ended({ cluster, clusterName, workload, rolledAtMs, endedAtMs, result, reason });
  history?.append([outcomeRecord({ ...report, sources })]);
}

function fieldsOf({ request, cluster }: FactSubject) {
  return { cluster: cluster.name, workload: request.workload };
}

function sourceNamesOf(changed: readonly ChangedObservation[]) {
  return changed.map(({ source: { kind, name }, reason }) => ({ kind, name, reason }));
}
