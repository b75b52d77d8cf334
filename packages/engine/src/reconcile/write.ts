import type { AnnotationDialect } from "@fleet-reloader/domain/annotation/dialect";
import type { AnnotationProblem } from "@fleet-reloader/domain/annotation/problem";
import { appliedPatch } from "@fleet-reloader/domain/applied/applied-annotation";
import { nextAppliedText } from "@fleet-reloader/domain/applied/next-applied-text";
import { writtenBy } from "@fleet-reloader/domain/evidence/managed-fields";
import { fieldManager } from "@fleet-reloader/domain/field-manager";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { Plan, RollPlan } from "@fleet-reloader/domain/plan/plan";
import type { StayReason } from "@fleet-reloader/domain/plan/reasons";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { isMade } from "@fleet-reloader/domain/strategy/roll-write";
import { type PauseChange, type PausePlan, planPause } from "@fleet-reloader/domain/workload/pause";
import type { Clock } from "../async/clock.ts";
import type { Fact } from "../history/fact.ts";
import type { Recorder } from "../history/recorder.ts";
import { windowOf } from "../observe/interest.ts";
import type { SourceReader } from "../observe/source-reader.ts";
import type { PatchedWorkload } from "../ports/cluster-api.ts";
import type { Again, Outcome } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { ObservedVersion, WorkloadRecords } from "../ports/workload-records.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import { changedSinceSeconds, type createBraking, type Go } from "./braking.ts";
import type { LiveFindings } from "./live-findings.ts";
import { manyNames } from "./many-names.ts";
import { missedChange } from "./missed-change.ts";
import type { MissingSources } from "./missing-sources.ts";
import { landedFact } from "./observation/landed-roll.ts";
import { type PreparedRoll, prepareRoll } from "./prepare-roll.ts";
import type { Reading } from "./reading.ts";
import { writeRoll } from "./write-roll.ts";

/** A decision: the roll that is due, if one is, and what the pods run with. */
export interface RollDecision {
  readonly reading: Reading;
  readonly observedSources: readonly ObservedSource[];
  readonly due: RollPlan | undefined;
  /** Nothing is left to roll, because this roll of an earlier attempt has landed. */
  readonly landed: RollPlan | undefined;
  readonly applied: Plan["applied"];
  /** Why nothing rolls, if nothing does. */
  readonly stays: StayReason;
  /** Monotonic time at which the observation that it was decided on began. */
  readonly observedAtMs: number;
}

/** By then a write whose caller gave up has landed. The next scheduled audit finds one that lands later still. */
const afterLateWrite = { quietPeriodMs: 30_000, maxWaitMs: 30_000 };

export interface WriteDependencies {
  readonly sources: SourceReader;
  readonly missing: MissingSources;
  readonly mistakes: LiveFindings;
  readonly brake: ReturnType<typeof createBraking>;
  readonly queue: Workqueue;
  readonly records: WorkloadRecords;
  readonly keys: Keyring;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly recorder: Recorder;
}

/** What a pause adds to a PATCH. */
interface Pausing {
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly spec: { readonly isPaused?: boolean };
}

interface Rolling extends PreparedRoll, Go {}

/** A roll that may be written, or when to ask again; neither where none is due. */
interface Asked {
  readonly rolling?: Rolling;
  readonly held?: Again;
}

/** The outcome of a write, and the facts to record. */
interface WriteResult {
  readonly outcome: Outcome | Again;
  readonly facts: readonly Fact[];
}

/** Writes what has been decided, in one conditional write, and records what happened before and after it. */
export async function writeDecision(
  dependencies: WriteDependencies,
  decision: RollDecision,
): Promise<Outcome | Again> {
  const { clock, queue, recorder, settings } = dependencies;
  const { due, reading } = decision;
  return due !== undefined && reading.delivery.purpose === "audit"
    ? await askForMissed({ clock, queue, recorder, settings }, decision, due)
    : await write(dependencies, decision);
}

/** Requests the roll that an audit found due, like any change. A request that already waits or is held covers it. */
async function askForMissed(
  { clock, queue, recorder, settings }: Pick<WriteDependencies, "clock" | "queue" | "recorder" | "settings">,
  { reading, observedSources }: RollDecision,
  due: RollPlan,
): Promise<Outcome> {
  const { request, interest } = reading;
  if (await queue.waits(request)) return "unchanged";
  recorder.record(reading, missedChange(reading, due, observedSources, clock.now()));
  const window = windowOf(interest.optIn.overrides, settings);
  await queue.add([{ request, ...window, purpose: "change" }]);
  return "unchanged";
}

/** Writes a roll that is due, or only what the pods run with. */
async function write(dependencies: WriteDependencies, decision: RollDecision): Promise<Outcome | Again> {
  const { brake, clock, keys, missing, mistakes, queue, recorder, records, settings, sources } = dependencies;
  const { due, landed, reading } = decision;
  const { request, delivery, interest } = reading;
  const window = windowOf(interest.optIn.overrides, settings);
  const mayRoll = delivery.purpose === "change" || window.quietPeriodMs === 0;
  const { held, rolling } =
    mayRoll && due !== undefined
      ? await askForRoll(brake, records, decision, await prepareRoll(reading, due, { clock, keys, settings }))
      : {};
  const pause = pauseOf(clock, settings.dialect, reading, rolling !== undefined);
  recorder.record(reading, mistakes.unreadable(reading, problemsOf(decision, pause)));
  // The author of the workload's change may be changing its sources too, so this change waits like any other.
  if (due !== undefined && !mayRoll) await queue.add([{ request, ...window, purpose: "change" }]);
  const pausing = pausingOf(pause.change, settings.dialect);
  const { outcome, facts } =
    rolling === undefined
      ? withResumed(await writeApplied(dependencies, decision, pausing), { pause, landed })
      : await roll(records, sources, decision, { rolling, pausing });
  recorder.record(reading, facts);
  if (rolling === undefined) observedWithoutRoll(records, decision);
  // Only now: a pause that was not written has no end.
  if (pause.resumeAfterMs !== undefined) {
    const resumeWindow = { quietPeriodMs: pause.resumeAfterMs, maxWaitMs: pause.resumeAfterMs };
    await queue.add([{ request, ...resumeWindow, purpose: "resume" }]);
  }
  recorder.record(reading, await mistakes.findNew(reading, missing));
  // A held roll leaves the applied state as it was, so everything is decided again after the hold.
  return held ?? outcome;
}

/** Clears the hold when no roll is due: the pods run with the present contents, or have been rolled for them. */
function observedWithoutRoll(records: WorkloadRecords, { due, reading }: RollDecision): void {
  records.reconciled(reading.request);
  if (due === undefined && reading.heldSinceSeconds !== undefined) records.held(reading.request, undefined);
}

/** Asks whether the roll may be written now. */
async function askForRoll(
  brake: WriteDependencies["brake"],
  records: WorkloadRecords,
  { reading, observedSources, observedAtMs }: RollDecision,
  prepared: PreparedRoll,
): Promise<Asked> {
  const { planned: due } = prepared;
  // An earlier attempt made the roll and counted it: only the applied state is left to write.
  if (isMade(prepared.how)) return { rolling: { type: "go", ...prepared } };
  const answer = await brake(reading, { due, observedSources, write: prepared.how, observedAtMs });
  if (answer.type === "go") return { rolling: { ...prepared, ...answer } };
  const sinceSeconds = changedSinceSeconds(due, observedSources);
  // Pods that start during the hold read the contents of that moment, which may be reverted later.
  if (reading.heldSinceSeconds === undefined && sinceSeconds !== undefined)
    records.held(reading.request, sinceSeconds);
  return { held: answer };
}

function pauseOf(clock: Clock, dialect: AnnotationDialect, reading: Reading, isRoll: boolean): PausePlan {
  const { ref, annotations, isPaused } = reading.live;
  const plan = planPause({ kind: ref.kind, annotations, isPaused, isRoll, dialect, nowMs: clock.now() });
  return { ...plan, isResumed: plan.isResumed || mayHaveResumed(reading) };
}

/** The pause that this request has to end is over: an earlier attempt may have ended it and left no record. */
function mayHaveResumed({ delivery, live }: Reading): boolean {
  return delivery.purpose === "resume" && delivery.isDoubtful && !live.isPaused;
}

/** What cannot be read in annotations. */
function problemsOf(
  { reading, observedSources }: RollDecision,
  pause: PausePlan,
): readonly AnnotationProblem[] {
  return [...reading.interest.optIn.problems, ...manyNames(reading, observedSources), ...pause.problems];
}

/** Writes the applied state and the end of a pause, if they differ from the present ones. The template stays. */
async function writeApplied(
  dependencies: WriteDependencies,
  decision: RollDecision,
  pausing: Pausing,
): Promise<WriteResult> {
  const { keys, missing, queue, records, settings, sources } = dependencies;
  const { reading, due, landed } = decision;
  const { request, delivery, live, appliedText } = reading;
  const text = appliedTextAfter(decision, keys);
  // Without an applied state no fence is written, so a write under way may still land. An audit looks for it.
  if (delivery.isDoubtful && text === undefined && appliedText === undefined)
    await queue.add([{ request, ...afterLateWrite, purpose: "audit" }]);
  const isApplied = text === appliedText && Object.keys(pausing.annotations).length === 0;
  const written = isApplied
    ? nothingWritten(decision.observedSources)
    : await patchApplied({ keys, missing, records, sources }, decision, text, pausing);
  if (due !== undefined) return written;
  if (landed !== undefined)
    return { ...written, facts: [...written.facts, landedFact(decision, landed, settings)] };
  if (delivery.purpose === "change")
    return { outcome: written.outcome, facts: [...written.facts, stayed(decision)] };
  // Restores what Redis has lost, but only when the workload itself is observed, not for a change.
  if (isApplied) records.applied(request, text, observedVersion(live));
  return written;
}

/** Records that a pause ended: with its end, an earlier roll reaches the pods. A landed roll that is recorded now is followed on its own. */
function withResumed(
  written: WriteResult,
  { pause, landed }: Pick<RollDecision, "landed"> & { readonly pause: PausePlan },
): WriteResult {
  const isTold = pause.isResumed && landed === undefined && written.outcome !== "gone";
  return isTold ? { ...written, facts: [...written.facts, { type: "resumed" }] } : written;
}

async function patchApplied(
  { keys, missing, records, sources }: Pick<WriteDependencies, "keys" | "missing" | "records" | "sources">,
  { reading, observedSources }: RollDecision,
  text: string | undefined,
  pausing: Pausing,
): Promise<WriteResult> {
  const { request, delivery, cluster, live, interest } = reading;
  const annotations = { ...appliedPatch(live.annotations, keys, text), ...pausing.annotations };
  const patch = { resourceVersion: live.resourceVersion, annotations, ...pausing.spec };
  const written = await cluster.api.patchWorkload(request.workload, patch, delivery.signal);
  if (written === undefined) return { outcome: "gone", facts: [] };
  sources.remember(cluster.api, written, { sources: interest.candidates, appliedText: text });
  records.applied(request, text, observedVersion(written));
  const facts: Fact[] = [...(await missing.find(reading, observedSources))];
  facts.push({ type: "recorded", isRemoved: text === undefined });
  return { outcome: "recorded", facts };
}

async function roll(
  records: WorkloadRecords,
  sources: SourceReader,
  { reading, observedSources }: RollDecision,
  { rolling, pausing }: { readonly rolling: Rolling; readonly pausing: Pausing },
): Promise<WriteResult> {
  const { request, delivery, cluster, live, interest, unkeptText } = reading;
  const { how, appliedText, annotations, permit, planned, strategy } = rolling;
  // Until the write is verified, this state counts: a webhook may keep the new applied state without the roll.
  if (unkeptText !== undefined)
    await records.keep(request, unkeptText, observedVersion(live).appliedAtSeconds);
  const also = { ...pausing.spec, annotations: pausing.annotations };
  const target = { api: cluster.api, live, signal: delivery.signal, annotations, also };
  const written = await writeRoll(how, permit === undefined ? target : { ...target, permit });
  if (written.type === "gone") return { outcome: "gone", facts: [] };
  const isWritten = written.type === "written";
  if (isWritten) {
    sources.remember(cluster.api, written.live, { sources: interest.candidates, appliedText });
    records.applied(request, appliedText, observedVersion(written.live));
  } else records.reconciled(request);
  const { uid } = isWritten ? written.live : live;
  const generation = isWritten && how.type === "template" ? written.live.generation : undefined;
  const { changed } = planned;
  return {
    outcome: isWritten ? "rolled" : written.again,
    facts: [{ type: "rolled", uid, generation, strategy, changed, observedSources }],
  };
}

function stayed({ reading, observedSources, stays }: RollDecision): Fact {
  const { templateChangedAtSeconds } = reading.live;
  return { type: "stayed", reason: stays, observedSources, templateChangedAtSeconds };
}

/** The version of a workload with our applied state on it. */
function observedVersion({ resourceVersion, object }: PatchedWorkload): ObservedVersion {
  return { resourceVersion, appliedAtSeconds: writtenBy(fieldManager, object) };
}

/** The applied state to write without a roll: while a roll is due it stays as it is. */
function appliedTextAfter({ due, applied, reading }: RollDecision, keys: Keyring): string | undefined {
  const { delivery, appliedText: text, appliedCount: count } = reading;
  if (due !== undefined) return text;
  // A write of ours that is under way would restore an outdated state. It is refused once the workload has a newer version.
  return applied && nextAppliedText(applied, { text, count, isFence: delivery.isDoubtful }, keys);
}

function nothingWritten(observedSources: readonly ObservedSource[]): WriteResult {
  return { outcome: observedSources.length === 0 ? "ignored" : "unchanged", facts: [] };
}

function pausingOf(change: PauseChange | undefined, dialect: AnnotationDialect): Pausing {
  if (change === undefined) return { annotations: {}, spec: {} };
  const { isPaused, pausedAt } = change;
  return {
    annotations: { [dialect.pausedAt]: pausedAt },
    spec: isPaused === undefined ? {} : { isPaused },
  };
}
