import type { AnnotationDialect } from "@fleet-reloader/domain/annotation/dialect";
import type { AnnotationProblem } from "@fleet-reloader/domain/annotation/problem";
import { nextNote } from "@fleet-reloader/domain/applied/next-note";
import { notePatch } from "@fleet-reloader/domain/applied/note";
import { writtenBy } from "@fleet-reloader/domain/evidence/managed-fields";
import { fieldManager } from "@fleet-reloader/domain/field-manager";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { Plan } from "@fleet-reloader/domain/plan/plan";
import type { StayReason } from "@fleet-reloader/domain/plan/reasons";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { isMade } from "@fleet-reloader/domain/strategy/roll-write";
import { type PauseChange, planPause } from "@fleet-reloader/domain/workload/pause";
import type { Brakes } from "../admission/brakes.ts";
import type { Clock } from "../async/clock.ts";
import type { FollowUps } from "../follow/follow-ups.ts";
import type { History } from "../history/history.ts";
import { causesOf, noRecords, rollRecords } from "../history/records.ts";
import { reportHead } from "../history/report-head.ts";
import { windowOf } from "../observe/interest.ts";
import type { SourceReader } from "../observe/source-reader.ts";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import type { Reporter } from "../ports/reporter.ts";
import type { Again, Outcome, Request } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { ObservedVersion, WorkloadRecords } from "../ports/workload-records.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import { createAuditFinding } from "./audit-finding.ts";
import { createBraking, type Go, type IntendedRoll } from "./braking.ts";
import { manyNames } from "./many-names.ts";
import { createMissingReport } from "./missing-sources.ts";
import { type PreparedRoll, prepareRoll } from "./prepare-roll.ts";
import type { Reading } from "./reading.ts";
import { writeRoll } from "./write-roll.ts";

/** What a pause adds to a PATCH. */
interface Pausing {
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly spec: { readonly isPaused?: boolean };
}

interface Rolling extends PreparedRoll, Go {}

/** What has been decided: the roll that is due, if one is, and what the pods carry. */
export interface RollDecision {
  readonly due: (Plan & { type: "roll" }) | undefined;
  readonly applied: Plan["applied"];
  /** Why nothing rolls, if nothing does. */
  readonly stays: StayReason;
  /** Monotonic time at which the look that it was decided on began. */
  readonly observedAtMs: number;
}

export interface WriterOptions {
  readonly sources: SourceReader;
  readonly queue: Workqueue;
  readonly records: WorkloadRecords;
  readonly keys: Keyring;
  readonly settings: Settings;
  readonly clock: Clock;
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

export type WriteDecision = (
  reading: Reading,
  observedSources: readonly ObservedSource[],
  decision: RollDecision,
) => Promise<Outcome | Again>;

/** The writing half: one conditional write of what has been decided, and who is told of it. */
export function createWriter(options: WriterOptions): WriteDecision {
  const { clock, log, meter, sources } = options;
  const brake = createBraking(options);
  const found = createAuditFinding(options);
  const reportMissing = createMissingReport(options);

  return async (reading, observedSources, decision) => {
    const { due } = decision;
    return due !== undefined && reading.delivery.purpose === "audit"
      ? await found(reading, due, observedSources)
      : await write(reading, observedSources, decision);
  };

  /** Writes what has been decided: a roll that is due, or only the note of what the pods carry. */
  async function write(
    reading: Reading,
    observedSources: readonly ObservedSource[],
    decision: RollDecision,
  ): Promise<Outcome | Again> {
    const { due, observedAtMs, stays } = decision;
    const { request, delivery, live, interest, note } = reading;
    const window = windowOf(interest.optIn.overrides, options.settings);
    const mayRoll = delivery.purpose === "change" || window.quietPeriodMs === 0;
    const { held, rolling } =
      mayRoll && due !== undefined ? await prepare(reading, { due, observedSources, observedAtMs }) : {};
    const pause = planPause({
      ...{ kind: live.ref.kind, annotations: live.annotations, isPaused: live.isPaused },
      isRoll: rolling !== undefined,
      ...{ dialect: options.settings.dialect, nowMs: clock.now() },
    });
    reportProblems(reading, [
      ...interest.optIn.problems,
      ...manyNames(reading, observedSources),
      ...pause.problems,
    ]);
    const pausing = pausingOf(pause.change, options.settings.dialect);
    // Whoever changed the workload may be changing its sources too: this is a change like any other, and waits like one.
    if (due !== undefined && !mayRoll) await options.queue.add([{ request, ...window, purpose: "change" }]);
    const text = noteAfter(decision, reading, options.keys);
    const isNoted = text === note && pause.change === undefined;
    const outcome =
      rolling === undefined
        ? await recordUnless(isNoted, reading, observedSources, { text, pausing })
        : await roll(reading, observedSources, { ...rolling, pausing });
    if (due === undefined) {
      // What Redis has lost is told again where workloads are looked at for their own sake.
      if (delivery.purpose === "change") tellNo(reading, stays, observedSources);
      else if (isNoted) options.records.noted(request, text, observedVersion(live));
    }
    if (rolling === undefined) options.records.reconciled(request);
    // Only now: a pause that was not written has no end.
    if (pause.resumeAfterMs !== undefined) await resumeLater(request, pause.resumeAfterMs);
    // The note stays as it was: all is decided anew then.
    return held ?? outcome;
  }

  /** A roll that may be written; or when to ask again. */
  async function prepare(
    reading: Reading,
    intended: IntendedRoll,
  ): Promise<{ readonly rolling?: Rolling; readonly held?: Again }> {
    const prepared = await prepareRoll(reading, intended.due, options);
    // A note is no roll: the one it is about has been counted.
    if (isMade(prepared.how)) return { rolling: { type: "go", ...prepared } };
    const answer = await brake(reading, intended);
    return answer.type === "go" ? { rolling: { ...prepared, ...answer } } : { held: answer };
  }

  function tellNo(
    { request, cluster, live }: Reading,
    reason: StayReason,
    observedSources: readonly ObservedSource[],
  ): void {
    const { templateChangedAtSeconds } = live;
    const when = reportHead(request, cluster, clock);
    options.history?.append(noRecords(when, { reason, observedSources, templateChangedAtSeconds }));
  }

  async function resumeLater(request: Request, afterMs: number): Promise<void> {
    await options.queue.add([{ request, quietPeriodMs: afterMs, maxWaitMs: afterMs, purpose: "resume" }]);
  }

  async function recordUnless(
    isNoted: boolean,
    reading: Reading,
    observedSources: readonly ObservedSource[],
    what: { readonly text: string | undefined; readonly pausing: Pausing },
  ): Promise<Outcome> {
    return isNoted ? nothingWritten(observedSources) : await record(reading, observedSources, what);
  }

  /** The note changes, or a pause ends: no template does. */
  async function record(
    reading: Reading,
    observedSources: readonly ObservedSource[],
    { text, pausing }: { readonly text: string | undefined; readonly pausing: Pausing },
  ): Promise<Outcome> {
    const { request, delivery, cluster, live, interest } = reading;
    const annotations = { ...notePatch(live.annotations, options.keys, text), ...pausing.annotations };
    const patch = { resourceVersion: live.resourceVersion, annotations, ...pausing.spec };
    const written = await cluster.api.patchWorkload(request.workload, patch, delivery.signal);
    if (written === undefined) return "gone";
    sources.remember(cluster.api, written, { sources: interest.candidates, note: text });
    options.records.noted(request, text, observedVersion(written));
    await reportMissing(reading, observedSources);
    // What was rolled while it was paused reaches the pods from now on.
    if (pausing.spec.isPaused === false) {
      options.followUps?.rolled({ request, run: { rolledAtMs: clock.now(), sources: [] } });
    }
    log.debug(
      { cluster: cluster.name, workload: request.workload },
      text === undefined ? "workload let go" : "workload noted",
    );
    return "recorded";
  }

  async function roll(
    reading: Reading,
    observedSources: readonly ObservedSource[],
    { pausing, ...rolling }: Rolling & { readonly pausing: Pausing },
  ): Promise<Outcome | Again> {
    const { request, delivery, cluster, live, interest, unkept } = reading;
    // Until the write is verified, this is what counts: a webhook may leave the new note without the roll.
    if (unkept !== undefined)
      await options.records.keep(request, unkept, observedVersion(live).notedAtSeconds);
    const written = await writeRoll(rolling.how, {
      ...{ api: cluster.api, live, signal: delivery.signal, annotations: rolling.annotations },
      also: { ...pausing.spec, annotations: pausing.annotations },
      ...(rolling.permit === undefined ? {} : { permit: rolling.permit }),
    });
    if (written.type === "gone") return "gone";
    if (written.type === "written") {
      sources.remember(cluster.api, written.live, { sources: interest.candidates, note: rolling.note });
      options.records.noted(request, rolling.note, observedVersion(written.live));
    } else {
      options.records.reconciled(request);
    }
    tellRoll(reading, observedSources, {
      ...rolling,
      written: written.type === "written" ? written.live : live,
    });
    return written.type === "waiting" ? written.again : "rolled";
  }

  /** Who is told of a roll: metrics, log, people, the history, and those who follow it. */
  function tellRoll(
    { request, cluster }: Reading,
    observedSources: readonly ObservedSource[],
    { planned, strategy, written }: PreparedRoll & { readonly written: LiveWorkload },
  ): void {
    const { workload } = request;
    for (const { reason } of planned.changed) meter.rolled(cluster.name, workload.kind, reason);
    const changed = planned.changed.map(({ source, reason }) => ({
      kind: source.kind,
      name: source.name,
      reason,
    }));
    log.info({ cluster: cluster.name, workload, strategy, sources: changed }, "workload rolled");
    const when = reportHead(request, cluster, clock);
    options.reporter?.rolled({
      ...{ ...when, strategy, uid: written.uid },
      sources: planned.changed.map(({ source, reason }) => ({ ...source, reason })),
    });
    const causes = causesOf(request.cluster, planned.changed, observedSources);
    options.history?.append(rollRecords(when, { strategy, sources: causes, observedSources }));
    options.followUps?.rolled({ request, run: { rolledAtMs: when.atMs, sources: causes } });
  }

  function reportProblems(
    { request, delivery, cluster, live }: Reading,
    problems: readonly AnnotationProblem[],
  ): void {
    // Nobody has written anything: what cannot be read was told when it was written.
    if (delivery.purpose === "audit") return;
    for (const unreadable of problems) {
      const { annotation, value, problem, mend } = unreadable;
      options.reporter?.unreadable({
        ...reportHead(request, cluster, clock),
        uid: live.uid,
        problem: unreadable,
      });
      log.warn(
        {
          cluster: cluster.name,
          workload: request.workload,
          annotation,
          value: value.slice(0, 200),
          reason: "AnnotationUnreadable",
        },
        `annotation ${annotation} ${problem}; ${mend}`,
      );
    }
  }
}

/** The workload with our note on it. */
function observedVersion({ resourceVersion, object }: LiveWorkload): ObservedVersion {
  return { resourceVersion, notedAtSeconds: writtenBy(fieldManager, object) };
}

/** The note as it has to be without a roll: while one is due it stays as it is. */
function noteAfter({ due, applied }: RollDecision, reading: Reading, keys: Keyring): string | undefined {
  const { delivery, note: text, noteCount: count } = reading;
  if (due !== undefined) return text;
  // A write of ours that is still under way would bring back what is not so any more: it is refused once the workload has moved.
  return applied && nextNote(applied, { text, count, isFence: delivery.isDoubtful }, keys);
}

function nothingWritten(observedSources: readonly ObservedSource[]): Outcome {
  return observedSources.length === 0 ? "ignored" : "unchanged";
}

function pausingOf(change: PauseChange | undefined, dialect: AnnotationDialect): Pausing {
  if (change === undefined) return { annotations: {}, spec: {} };
  const { isPaused, pausedAt } = change;
  return {
    annotations: { [dialect.pausedAt]: pausedAt },
    spec: isPaused === undefined ? {} : { isPaused },
  };
}
