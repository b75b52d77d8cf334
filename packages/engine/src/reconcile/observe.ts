import {
  type AppliedState,
  parseAppliedState,
  type Served,
} from "@fleet-reloader/domain/applied/applied-state";
import { isOwnNote, ourNote } from "@fleet-reloader/domain/applied/note";
import type { PodsStart } from "@fleet-reloader/domain/evidence/pods-start";
import { localName, type ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import { type Plan, plan } from "@fleet-reloader/domain/plan/plan";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { Eligibility } from "@fleet-reloader/domain/workload/eligibility";
import { isHeld } from "@fleet-reloader/domain/workload/pause";
import { eligibilityOf, servedKind } from "../observe/eligibility-of.ts";
import { isInterested, patternsOf, readInterest } from "../observe/interest.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import { createNamespaceCheck } from "../observe/namespace-scope.ts";
import type { ReadsAhead, SourceReader } from "../observe/source-reader.ts";
import type { EngagedCluster, LiveWorkload } from "../ports/cluster-api.ts";
import type { Again, Request } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { WorkloadRecord, WorkloadRecords } from "../ports/workload-records.ts";
import type { Delivery } from "../ports/workqueue.ts";
import {
  historyOf,
  isNoteEnough,
  type KnownPast,
  knownPast,
  readPodsStart,
  unkeptNote,
} from "./known-past.ts";
import type { Reading } from "./reading.ts";

export interface Planned {
  readonly planned: Plan;
  readonly observedSources: readonly ObservedSource[];
}

export interface Observation extends Planned {
  readonly reading: Reading;
  readonly eligibility: Eligibility;
}

export interface ObserveOptions {
  readonly sources: SourceReader;
  readonly records: WorkloadRecords;
  readonly keys: Keyring;
  readonly sha1: (bytes: Uint8Array) => string;
  readonly names: NameMatches;
  readonly settings: Settings;
  readonly lifetime: AbortSignal;
}

/** What there is to decide on; a stash stands for the Job it replaces; `gone` and `ignored`: nothing can be decided. */
export type Observe = (
  request: Request,
  delivery: Delivery,
  cluster: EngagedCluster,
) => Promise<Observation | { readonly stash: LiveWorkload } | { readonly again: Again } | "gone" | "ignored">;

/** Before the first list is complete nobody knows what was there before we came. It takes a moment. */
const unlisted = { type: "again", afterMs: 1000, reason: "WorkloadsNotListed" } as const satisfies Again;

/** The reading half: the workload and its sources as they are now, and what follows from them. Writes nothing. */
export function createObserve(options: ObserveOptions): Observe {
  const { sources, keys } = options;
  const isServed = createNamespaceCheck(options.settings.scope, options.lifetime);

  return async function observe(request, delivery, cluster) {
    const { api } = cluster;
    const kind = servedKind(request.workload.kind, options.settings);
    // Left over from when it was served.
    if (kind === undefined) return "ignored";
    const ahead = sources.readAhead(api, request.workload);
    const remembered = isLikelyRoll(delivery) ? readEarly(request) : undefined;
    const [live, isInScope] = await Promise.all([
      api.readWorkload(request.workload, delivery.signal),
      isServed(api, request.workload.namespace),
    ]);
    if (live === undefined || live.isDeleting) return "gone";
    const eligibility = eligibilityOf(live, options.settings);
    if (eligibility === "stash") return { stash: live };
    // A pause that was begun while the namespace was served has to end all the same.
    if (!isInScope && !isHeld(live, options.settings.dialect)) return "ignored";
    const interest = await readInterest(live, options.settings, options.names);
    const note = ourNote(live.annotations, options.keys);
    const isOwn = isOwnNote(live.annotations, live.object, options.keys);
    const reading = {
      ...{ request, delivery, cluster, live, kind, interest, note, isOwn },
      ...{ noteCount: 0, unkept: undefined },
    };
    if (!isInScope) return { reading, eligibility, ...leftAlone(parseAppliedState(note, keys)) };
    const past = await pastOf(reading);
    const isNobody = past.applied === undefined && past.record?.served === undefined;
    if (isNobody && eligibility !== "owned" && isInterested(interest)) return { again: unlisted };
    return await planNow({ ...reading, noteCount: past.noteCount }, { eligibility, past, ahead, remembered });
  };

  async function pastOf(reading: Reading): Promise<KnownPast> {
    const noted = parseAppliedState(reading.note, keys);
    const record = isNoteEnough(noted, reading) ? undefined : await options.records.read(reading.request);
    return knownPast(noted, record, { ...reading, keys });
  }

  /** Undefined: it could not be read, and is asked for again by whoever needs it. */
  function readEarly(request: Request): Promise<WorkloadRecord | undefined> {
    return options.records.read(request).catch(() => undefined);
  }

  async function planNow(
    reading: Reading,
    { eligibility, past, ahead, remembered }: Before,
  ): Promise<Observation> {
    const { cluster, live, interest, note } = reading;
    const { api } = cluster;
    const { applied } = past;
    const observedSources =
      eligibility === "owned" ? [] : await sources.look({ api, live, interest, note, applied, ahead });
    const planned = planWith(reading, observedSources, past, undefined);
    const isAllNoted = observedSources.every((observed) => isNoted(observed, applied));
    const isAsked = past.record !== undefined || isAllNoted;
    const isSure = planned.type === "record" && !planned.hingesOnPods && isAsked;
    if (isSure) return { reading, eligibility, planned, observedSources };
    // A note that stands on the workload may be an old one: nothing is rolled for it before Redis was asked, too.
    const isOnlyNote = past.record === undefined && isAllNoted && !planned.hingesOnPods;
    if (isOnlyNote && note !== undefined && (await remembered)?.note === note)
      return { reading, eligibility, planned, observedSources };
    const all = past.record === undefined ? await askedPast(reading) : past;
    const again = all === past ? planned : planWith(reading, observedSources, all, undefined);
    const judged = again.hingesOnPods
      ? planWith(reading, observedSources, all, await readPodsStart(live, reading))
      : again;
    const read = { ...reading, noteCount: all.noteCount, unkept: unkeptNote(all, note) };
    return { reading: read, eligibility, planned: judged, observedSources };
  }

  async function askedPast(reading: Reading): Promise<KnownPast> {
    return knownPast(parseAppliedState(reading.note, keys), await options.records.read(reading.request), {
      ...reading,
      keys,
    });
  }

  function planWith(
    reading: Reading,
    observedSources: readonly ObservedSource[],
    past: KnownPast,
    podsStart: PodsStart | undefined,
  ): Plan {
    const { live, kind, interest } = reading;
    return plan({
      // A Job is made anew with its note.
      workload: { ...live, parsed: interest.template, uid: kind.kind === "Job" ? undefined : live.uid },
      applied: past.applied,
      isDamaged: past.isDamaged,
      notedAtSeconds: past.notedAtSeconds,
      observedSources,
      patterns: patternsOf(interest),
      rules: options.settings,
      keys: options.keys,
      sha1: options.sha1,
      history: historyOf(reading, past),
      podsStart,
      served: servedOf(past),
    });
  }
}

/** A source that only a pattern leads to is not known before the sources are read: what is not noted of it, Redis may know. */
function isNoted({ ref, patterns }: ObservedSource, applied: AppliedState | undefined): boolean {
  return patterns.length === 0 || applied?.sources.has(localName(ref)) === true;
}

/** The note keeps what it says: another time under the same settings is no news. */
function servedOf({ applied, record }: KnownPast): Served | undefined {
  if (record?.served === undefined || record.served.as === applied?.served?.as) return applied?.served;
  return { as: record.served.as, sinceSeconds: record.served.sinceSeconds };
}

/** Of these almost all roll: what Redis remembers is read beside the workload, so that nobody waits for it. */
function isLikelyRoll({ purpose, isDoubtful }: Delivery): boolean {
  return purpose === "change" && !isDoubtful;
}

interface Before {
  readonly eligibility: Eligibility;
  /** What Redis remembered when the look began: tells that it remembers the note that stands there, and nothing else. */
  readonly remembered: Promise<WorkloadRecord | undefined> | undefined;
  readonly past: KnownPast;
  readonly ahead: ReadsAhead;
}

/** What a namespace that is not served leaves to decide: nothing, and the note stays. */
function leftAlone(applied: AppliedState | undefined): Planned {
  return { planned: { type: "record", applied, hingesOnPods: false }, observedSources: [] };
}
