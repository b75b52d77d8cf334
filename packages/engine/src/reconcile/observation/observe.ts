import { isOwnAppliedState, ourAppliedText } from "@fleet-reloader/domain/applied/applied-annotation";
import {
  type AppliedState,
  parseAppliedState,
  type Served,
} from "@fleet-reloader/domain/applied/applied-state";
import type { RunningPods } from "@fleet-reloader/domain/evidence/pods-start";
import { localName, type ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import { type Plan, plan, type RollPlan } from "@fleet-reloader/domain/plan/plan";
import { areAllUpdated } from "@fleet-reloader/domain/rollout-state/all-updated";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { Eligibility } from "@fleet-reloader/domain/workload/eligibility";
import { isHeld } from "@fleet-reloader/domain/workload/pause";
import { isInterested, patternsOf, readInterest } from "../../observe/interest.ts";
import type { NameMatches } from "../../observe/name-matches.ts";
import { createNamespaceCheck, eligibilityOf, servedKind } from "../../observe/served.ts";
import {
  nothingAhead,
  type ObservedSources,
  type ReadsAhead,
  type SourceReader,
} from "../../observe/source-reader.ts";
import { selectorOfPods } from "../../observe/template-owner.ts";
import type { ClusterApi, EngagedCluster, LiveWorkload } from "../../ports/cluster-api.ts";
import type { Again, Request } from "../../ports/request.ts";
import type { Settings } from "../../ports/settings.ts";
import type { WorkloadRecord, WorkloadRecords } from "../../ports/workload-records.ts";
import type { Delivery } from "../../ports/workqueue.ts";
import type { Reading } from "../reading.ts";
import {
  historyOf,
  isStateEnough,
  type KnownPast,
  knownPast,
  readRunningPods,
  unkeptText,
} from "./known-past.ts";
import { landedRoll } from "./landed-roll.ts";

export interface Planned {
  readonly planned: Plan;
  readonly observedSources: readonly ObservedSource[];
}

export interface Observation extends Planned {
  readonly reading: Reading;
  readonly eligibility: Eligibility;
  /** Nothing is left to roll, because this roll of an earlier attempt has landed. */
  readonly landed?: RollPlan | undefined;
}

/** What Redis remembers of workloads, to read only. */
type ReadableRecords = Pick<WorkloadRecords, "read">;

export interface ObserveOptions {
  readonly sources: SourceReader;
  readonly records: ReadableRecords;
  readonly keys: Keyring;
  readonly sha1: (bytes: Uint8Array) => string;
  readonly names: NameMatches;
  readonly settings: Settings;
  readonly lifetime: AbortSignal;
}

/** Reads what a decision needs. A stash stands for the Job it replaces. `gone` and `ignored`: there is nothing to decide. */
export type Observe = (
  request: Request,
  delivery: Delivery,
  cluster: EngagedCluster,
  /** The workload as a watch showed it. Absent: it is read. */
  shown?: LiveWorkload,
) => Promise<Observation | { readonly stash: LiveWorkload } | { readonly again: Again } | "gone" | "ignored">;

/** For a workload that another object controls: none of its sources is read. */
const nothingObserved: ObservedSources = { observedSources: [], setAside: [] };

/** Before the first list is complete, it is not known which workloads existed before us. The list takes a moment. */
const unlisted = { type: "again", afterMs: 1000, reason: "WorkloadsNotListed" } as const satisfies Again;

/** What an observation needs. */
interface Observing extends Pick<ObserveOptions, "sources" | "records" | "keys" | "names" | "settings"> {
  readonly isServed: (api: ClusterApi, namespace: string) => Promise<boolean>;
  /** Plans with the keys and settings of this process. */
  readonly planFrom: (compared: Compared, pods?: RunningPods) => Plan;
}

/** Reads the workload and its sources as they are now, and plans what follows from them. Writes nothing. */
export function createObserve(options: ObserveOptions): Observe {
  const { sources, records, keys, sha1, names, settings, lifetime } = options;
  const isServed = createNamespaceCheck(settings.scope, lifetime);
  const planFrom = createPlanFrom(keys, sha1, settings);
  const observing: Observing = { sources, records, keys, names, settings, isServed, planFrom };
  return (...asked) => observe(observing, ...asked);
}

async function observe(
  observing: Observing,
  ...[request, delivery, cluster, shown]: Parameters<Observe>
): ReturnType<Observe> {
  const { isServed, keys, names, records, settings, sources } = observing;
  const { api } = cluster;
  const kind = servedKind(request.workload.kind, settings);
  // Left over from when its kind was served.
  if (kind === undefined) return "ignored";
  const isShown = shown !== undefined;
  const ahead = isShown ? nothingAhead : sources.readAhead(api, request.workload);
  const remembered = isLikelyRoll(delivery) ? readEarly(records, request) : undefined;
  const [live, isInScope] = await Promise.all([
    shown ?? api.readWorkload(request.workload, delivery.signal),
    isServed(api, request.workload.namespace),
  ]);
  if (live === undefined || live.isDeleting) return "gone";
  const eligibility = eligibilityOf(live, settings);
  if (eligibility === "stash") return { stash: live };
  // A pause that began while the namespace was served has to end anyway.
  if (!isInScope && !isHeld(live, settings.dialect)) return "ignored";
  const reading = await readingOf({ request, delivery, cluster, live, kind }, keys, names, settings);
  if (!isInScope) return { reading, eligibility, ...leftAlone(parseAppliedState(reading.appliedText, keys)) };
  return await planListed(observing, reading, { eligibility, ahead, remembered, isShown });
}

async function planListed(
  observing: Observing,
  reading: Reading,
  before: Omit<Before, "past">,
): Promise<Observation | { readonly again: Again }> {
  const past = await pastOf(observing.keys, observing.records, reading);
  if (before.eligibility !== "owned" && isUnlisted(past, reading)) return { again: unlisted };
  return await planNow(observing, { ...reading, appliedCount: past.appliedCount }, { ...before, past });
}

async function readingOf(
  read: Pick<Reading, "request" | "delivery" | "cluster" | "live" | "kind">,
  keys: Keyring,
  names: NameMatches,
  settings: Settings,
): Promise<Reading> {
  const { annotations, object } = read.live;
  return {
    ...read,
    interest: await readInterest(read.live, settings, names),
    appliedText: ourAppliedText(annotations, keys),
    isOwn: isOwnAppliedState(annotations, object, keys),
    appliedCount: 0,
    unkeptText: undefined,
    heldSinceSeconds: undefined,
  };
}

/** Whether it is unknown what its stream was served with. */
function isUnlisted({ applied, record }: KnownPast, { interest }: Reading): boolean {
  return applied === undefined && record?.served === undefined && isInterested(interest);
}

/** What is known of the past. Redis is asked only when that is needed. */
async function pastOf(keys: Keyring, records: ReadableRecords, reading: Reading): Promise<KnownPast> {
  const onWorkload = parseAppliedState(reading.appliedText, keys);
  const record = isStateEnough(onWorkload, reading) ? undefined : await records.read(reading.request);
  return knownPast(onWorkload, record, { ...reading, keys });
}

/** Undefined: it could not be read. A step that needs it reads it again. */
function readEarly(records: ReadableRecords, request: Request): Promise<WorkloadRecord | undefined> {
  return records.read(request).catch(() => undefined);
}

async function planNow(observing: Observing, read: Reading, before: Before): Promise<Observation> {
  const { keys, planFrom, records, sources } = observing;
  const { cluster, live, interest, appliedText } = read;
  const { eligibility, past, ahead, isShown, remembered } = before;
  const { applied } = past;
  const { api } = cluster;
  const asked = { api, live, interest, appliedText, applied, ahead, mayWait: isShown };
  const observed = eligibility === "owned" ? nothingObserved : await sources.observe(asked);
  const { observedSources } = observed;
  // The read began with the observation.
  const record = past.record ?? (await remembered);
  const reading = { ...read, heldSinceSeconds: record?.heldSinceSeconds };
  const planned = planFrom({ reading, ...observed, past });
  const first = { reading, eligibility, planned, observedSources };
  if (await isCertain(first, before)) {
    const planOf = (from: KnownPast, pods: RunningPods) =>
      planFrom({ reading, ...observed, past: from }, pods);
    return { ...first, landed: landedRoll(past, planOf) };
  }
  const all = past.record === undefined ? await askedPast(keys, records, reading) : past;
  const again = all === past ? planned : planFrom({ reading, ...observed, past: all });
  const judged = again.hingesOnPods
    ? planFrom({ reading, ...observed, past: all }, await readRunningPods(live, reading))
    : again;
  const compared = { ...reading, appliedCount: all.appliedCount, unkeptText: unkeptText(all, appliedText) };
  return { reading: compared, eligibility, planned: judged, observedSources };
}

/** Whether the plan stays as it is, whatever Redis remembers and whenever the pods started. */
async function isCertain(
  { reading, planned, observedSources }: Observation,
  { past, remembered }: Before,
): Promise<boolean> {
  if (planned.hingesOnPods) return false;
  const areAllKnown = observedSources.every((observed) => isKnown(observed, past.applied));
  if (planned.type === "record" && (past.record !== undefined || areAllKnown)) return true;
  // The applied state on the workload may be an old one: nothing is rolled for it before Redis was asked.
  if (past.record !== undefined || !areAllKnown || reading.appliedText === undefined) return false;
  return (await remembered)?.appliedText === reading.appliedText;
}

async function askedPast(keys: Keyring, records: ReadableRecords, reading: Reading): Promise<KnownPast> {
  const record = await records.read(reading.request);
  return knownPast(parseAppliedState(reading.appliedText, keys), record, { ...reading, keys });
}

function createPlanFrom(
  keys: Keyring,
  sha1: ObserveOptions["sha1"],
  settings: Settings,
): Observing["planFrom"] {
  return ({ reading, observedSources, setAside, past }, pods) => {
    const { live, kind, interest } = reading;
    return plan({
      // A Job is deleted and recreated with its applied state, so its UID says nothing.
      workload: {
        ...live,
        parsed: interest.template,
        uid: kind.kind === "Job" ? undefined : live.uid,
        keepsPods: kind.isTemplateRolled === true && selectorOfPods(live) !== undefined,
        isRolledOut: areAllUpdated(live.object),
      },
      applied: past.applied,
      isDamaged: past.isDamaged,
      unverified: past.unverified,
      appliedAtSeconds: past.appliedAtSeconds,
      observedSources,
      setAside,
      patterns: patternsOf(interest),
      rules: settings,
      keys,
      sha1,
      history: historyOf(reading, past),
      pods,
      heldSinceSeconds: reading.heldSinceSeconds,
      served: servedNow(past),
    });
  };
}

/** The input of a plan. */
interface Compared extends ObservedSources {
  readonly reading: Reading;
  readonly past: KnownPast;
}

/** A source that only a pattern matches is not known before the sources are read. Redis may know one that the applied state lacks. */
function isKnown({ ref, patterns }: ObservedSource, applied: AppliedState | undefined): boolean {
  return patterns.length === 0 || applied?.sources.has(localName(ref)) === true;
}

/** The applied state keeps its time: another time under the same settings changes nothing. */
function servedNow({ applied, record }: KnownPast): Served | undefined {
  if (record?.served === undefined || record.served.as === applied?.served?.as) return applied?.served;
  return { as: record.served.as, sinceSeconds: record.served.sinceSeconds };
}

/** Almost all of these requests roll, so the record in Redis is read at the same time as the workload. */
function isLikelyRoll({ purpose, isDoubtful }: Delivery): boolean {
  return purpose === "change" && !isDoubtful;
}

/** What was known, or was being read, before the sources were observed. */
interface Before {
  readonly eligibility: Eligibility;
  /** The record in Redis when the observation began. It shows only whether Redis remembers the applied state on the workload. */
  readonly remembered: Promise<WorkloadRecord | undefined> | undefined;
  readonly past: KnownPast;
  readonly ahead: ReadsAhead;
  /** Decided on a workload as a watch showed it, at most once in a handling. Then reads of sources may wait to be shared with a fan-out. */
  readonly isShown: boolean;
}

/** In a namespace that is not served nothing is decided, and the applied state stays. */
function leftAlone(applied: AppliedState | undefined): Planned {
  return { planned: { type: "record", applied, hingesOnPods: false }, observedSources: [] };
}
