import { mayReload } from "@fleet-reloader/domain/annotation/opt-in";
import { hasAppliedState } from "@fleet-reloader/domain/applied/applied-annotation";
import { isNoReason, type NoReason, type UnservedReason } from "@fleet-reloader/domain/decision/reasons";
import type { RollPlan } from "@fleet-reloader/domain/plan/plan";
import type { StayReason } from "@fleet-reloader/domain/plan/reasons";
import { podKeeperOf } from "@fleet-reloader/domain/rollout-state/revisioned";
import { isMade } from "@fleet-reloader/domain/strategy/roll-write";
import { type PausePlan, planPause } from "@fleet-reloader/domain/workload/pause";
import type { Brakes } from "../admission/brakes.ts";
import type { Clock } from "../async/clock.ts";
import { readInterest } from "../observe/interest.ts";
import { createNamespaceCheck, servedKind } from "../observe/served.ts";
import { SourceReader } from "../observe/source-reader.ts";
import type { EngagedCluster, LiveWorkload } from "../ports/cluster-api.ts";
import type { Request } from "../ports/request.ts";
import type { QueueView, WaitingRequest } from "../ports/workqueue.ts";
import { rollIntentOf, runHold } from "../reconcile/braking.ts";
import { manyNames } from "../reconcile/many-names.ts";
import { decidedOn } from "../reconcile/observation/decision.ts";
import { createObserve, type Observation, type ObserveOptions } from "../reconcile/observation/observe.ts";
import { prepareRoll } from "../reconcile/prepare-roll.ts";
import { explainedSources } from "./explained-sources.ts";
import type { ExplainedSource, ExplainedVerdict, ExplainedWait, Explanation } from "./explanation.ts";
import { optInClauses } from "./opt-in-clauses.ts";

export interface ExplainOptions extends Omit<ObserveOptions, "sources"> {
  /** Undefined: nothing holds a roll. */
  readonly brakes: Pick<Brakes, "check"> | undefined;
  /** Undefined: Redis is not asked. */
  readonly queue: QueueView | undefined;
  readonly clock: Clock;
  /** Whether the keys are those of the workers. If not, an applied state under other keys leaves the answer open. */
  readonly areKeysShared: boolean;
}

/** Explains what a worker would do with a workload now, and why. Counts and writes nothing. */
export type Explain = (
  request: Request,
  cluster: EngagedCluster,
  signal: AbortSignal,
) => Promise<Explanation>;

interface OpenExplain
  extends Pick<
    ExplainOptions,
    "areKeysShared" | "brakes" | "clock" | "keys" | "names" | "queue" | "settings"
  > {
  readonly observe: ReturnType<typeof createObserve>;
  readonly isServed: ReturnType<typeof createNamespaceCheck>;
}

/** A question: the workload, and its place. */
interface Question {
  readonly request: Request;
  readonly cluster: EngagedCluster;
  readonly signal: AbortSignal;
}

/** The observation and the plan are those of reconcile. */
export function createExplain(options: ExplainOptions): Explain {
  const { areKeysShared, brakes, clock, keys, lifetime, names, queue, records, settings, sha1 } = options;
  const sources = new SourceReader({ settings, names, clock, lifetime });
  const explaining: OpenExplain = {
    observe: createObserve({ sources, records, keys, sha1, names, settings, lifetime }),
    isServed: createNamespaceCheck(settings.scope, lifetime),
    areKeysShared,
    brakes,
    clock,
    keys,
    names,
    queue,
    settings,
  };
  return (request, cluster, signal) => explain(explaining, { request, cluster, signal });
}

async function explain(explaining: OpenExplain, question: Question): Promise<Explanation> {
  const { clock, observe, settings } = explaining;
  const { request, cluster, signal } = question;
  const delivery = { attemptsMade: 0, isDoubtful: false, purpose: "change", signal } as const;
  const observation = await observe(request, delivery, cluster);
  if (observation === "gone") return unserved(clock, question, "WorkloadGone");
  if (observation === "ignored") {
    const isKnown = servedKind(request.workload.kind, settings) !== undefined;
    return unserved(clock, question, isKnown ? "NamespaceNotServed" : "KindNotServed");
  }
  if ("stash" in observation) return unserved(clock, question, "StashOfJob");
  if ("again" in observation) return await explainUnlisted(explaining, question);
  return await explainObserved(explaining, question, observation);
}

async function explainObserved(
  explaining: OpenExplain,
  question: Question,
  observation: Observation,
): Promise<Explanation> {
  const { clock, keys, names, queue, settings } = explaining;
  const { live, interest, appliedText } = observation.reading;
  const { observedSources } = observation;
  const { api } = question.cluster;
  const { due, stays } = decidedOn(observation, settings);
  const causes = (due?.changed ?? []).map(({ source, reason }) => ({ source, reason }));
  const described = { api, live, interest, appliedText, observedSources, causes };
  const sources = await explainedSources(described, { keys, names, settings }, question.signal);
  const { annotations, isPaused, ref } = live;
  const isRoll = due !== undefined;
  const { dialect } = settings;
  const nowMs = clock.now();
  const pause = planPause({ kind: ref.kind, annotations, isPaused, isRoll, dialect, nowMs });
  const many = manyNames(observation.reading, observedSources);
  const verdict = await explainedVerdict(explaining, question, { observation, sources, due, stays });
  return {
    ...headOf(clock, question),
    verdict,
    optIn: optInClauses(live, interest.optIn, settings.sourceKinds),
    sources,
    problems: [...interest.optIn.problems, ...many, ...pause.problems],
    isPaused,
    ...(isPaused ? pauseEnd(pause, nowMs) : {}),
    ...keeperOf(live),
    ...(await waitOf(queue, question)),
  };
}

/** When the present pause ends by itself. A pause whose period is over ends with the next reconcile. */
function pauseEnd({ change, resumeAfterMs }: PausePlan, nowMs: number): Pick<Explanation, "pausedUntil"> {
  const afterMs = change?.isPaused === false ? 0 : resumeAfterMs;
  return afterMs === undefined ? {} : { pausedUntil: rfc3339(nowMs + afterMs) };
}

interface Judged {
  readonly observation: Observation;
  readonly sources: readonly ExplainedSource[];
  readonly due: RollPlan | undefined;
  readonly stays: StayReason;
}

async function explainedVerdict(
  explaining: OpenExplain,
  { signal }: Question,
  { observation, sources, due, stays }: Judged,
): Promise<ExplainedVerdict> {
  const { areKeysShared, brakes, clock, isServed, keys, settings } = explaining;
  const { reading, observedSources } = observation;
  const { annotations, ref } = reading.live;
  if (!(await isServed(reading.cluster.api, ref.namespace)))
    return { type: "unserved", reason: "NamespaceNotServed" };
  if (!areKeysShared && reading.appliedText === undefined && hasAppliedState(annotations))
    return { type: "unknown", reason: "KeyUnknown" };
  if (due === undefined)
    return { type: "stays", reason: whyStays(observation, { sources, stays, settings }) };
  const causes = due.changed.map(({ source, reason }) => ({ source, reason }));
  const { how } = await prepareRoll(reading, due, { clock, keys, settings });
  // An earlier attempt made the roll: only the applied state is left to write, and the brakes are not asked.
  if (isMade(how)) return { type: "roll", causes };
  const answer =
    (await runHold(reading, settings)) ??
    (await brakes?.check(rollIntentOf(reading, { due, observedSources }), signal));
  if (answer === undefined || answer.type === "go") return { type: "roll", causes };
  const { reason, why, details, untilMs } = answer;
  const until = untilMs === undefined ? {} : { until: rfc3339(untilMs) };
  return { type: "held", causes, reason, why: details === undefined ? why : `${why}; ${details}`, ...until };
}

/** If no source counts, the reason is that of its sources. */
function whyStays(
  { reading }: Observation,
  { sources, stays, settings }: Pick<Judged, "sources" | "stays"> & Pick<ExplainOptions, "settings">,
): StayReason | NoReason {
  if (stays !== "ContentUnchanged" || sources.some(({ counts }) => counts)) return stays;
  const { optIn } = reading.interest;
  if (!settings.sourceKinds.some((kind) => mayReload(optIn, kind))) return "NotOptedIn";
  const [reason] = sources.flatMap(({ reason }) => (isNoReason(reason) ? [reason] : []));
  return reason ?? "NotReferenced";
}

/** The opt-in of the workload is known, and the contents that its pods run with are not. */
async function explainUnlisted(explaining: OpenExplain, question: Question): Promise<Explanation> {
  const { areKeysShared, clock, keys, names, queue, settings } = explaining;
  const { request, cluster, signal } = question;
  const live = await cluster.api.readWorkload(request.workload, signal);
  if (live === undefined) return unserved(clock, question, "WorkloadGone");
  const interest = await readInterest(live, settings, names);
  const isForeign = !areKeysShared && hasAppliedState(live.annotations);
  const { api } = cluster;
  const described = { api, live, interest, appliedText: undefined, observedSources: [], causes: [] };
  return {
    ...headOf(clock, question),
    verdict: { type: "unknown", reason: isForeign ? "KeyUnknown" : "WorkloadsNotListed" },
    optIn: optInClauses(live, interest.optIn, settings.sourceKinds),
    sources: await explainedSources(described, { keys, names, settings }, signal),
    problems: interest.optIn.problems,
    isPaused: live.isPaused,
    ...keeperOf(live),
    ...(await waitOf(queue, question)),
  };
}

function unserved(clock: Clock, question: Question, reason: UnservedReason): Explanation {
  return {
    ...headOf(clock, question),
    verdict: { type: "unserved", reason },
    optIn: [],
    sources: [],
    problems: [],
    isPaused: false,
  };
}

function keeperOf({ object, ref }: LiveWorkload): Pick<Explanation, "podKeeper"> {
  const podKeeper = podKeeperOf(ref.kind, object);
  return podKeeper === undefined ? {} : { podKeeper };
}

function headOf(clock: Clock, { request, cluster }: Question) {
  return { cluster: cluster.name, workload: request.workload, time: rfc3339(clock.now()) };
}

async function waitOf(
  queue: QueueView | undefined,
  { request }: Question,
): Promise<{ readonly waiting?: ExplainedWait }> {
  if (queue === undefined) return {};
  const waiting = await queue.waiting(request);
  const hold = waiting === undefined ? undefined : explainedHold(waiting);
  const isWaiting = waiting !== undefined;
  return { waiting: hold === undefined ? { isWaiting } : { isWaiting, hold } };
}

function explainedHold({ hold }: WaitingRequest): ExplainedWait["hold"] {
  if (hold === undefined) return undefined;
  const { reason, againAtMs, untilMs } = hold;
  const until = untilMs === undefined ? {} : { until: rfc3339(untilMs) };
  return { reason, again: rfc3339(againAtMs), ...until };
}

function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
