import { type Carried, parseCarried, type Served } from "@fleet-reloader/domain/carried/carried";
import { isOwnNote, ourNote } from "@fleet-reloader/domain/carried/note";
import type { PodsStart } from "@fleet-reloader/domain/evidence/pods-start";
import { type Plan, plan } from "@fleet-reloader/domain/plan/plan";
import { localName, type Sight } from "@fleet-reloader/domain/plan/sight";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import { isHeld } from "@fleet-reloader/domain/workload/pause";
import type { Stand } from "@fleet-reloader/domain/workload/stand";
import { isInterested, patternsOf, readInterest } from "../observe/interest.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import { createNamespaceCheck } from "../observe/namespace-scope.ts";
import type { ReadsAhead, SourceReader } from "../observe/source-reader.ts";
import { servedKind, standOf } from "../observe/stand-of.ts";
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
  readonly sights: readonly Sight[];
}

export interface Look extends Planned {
  readonly reading: Reading;
  readonly stand: Stand;
}

export interface LookOptions {
  readonly sources: SourceReader;
  readonly records: WorkloadRecords;
  readonly keys: Keyring;
  readonly sha1: (bytes: Uint8Array) => string;
  readonly names: NameMatches;
  readonly settings: Settings;
  readonly lifetime: AbortSignal;
}

/** What there is to decide on; a stash stands for the Job it replaces; `gone` and `ignored`: nothing can be decided. */
export type LookNow = (
  request: Request,
  delivery: Delivery,
  cluster: EngagedCluster,
) => Promise<Look | { readonly stash: LiveWorkload } | { readonly again: Again } | "gone" | "ignored">;

/** Before the first list is complete nobody knows what was there before we came. It takes a moment. */
const unlisted = { type: "again", afterMs: 1000, reason: "WorkloadsNotListed" } as const satisfies Again;

/** The reading half: the workload and its sources as they are now, and what follows from them. Writes nothing. */
export function createLook(options: LookOptions): LookNow {
  const { sources, keys } = options;
  const isServed = createNamespaceCheck(options.settings.scope, options.lifetime);

  return async function lookNow(request, delivery, cluster) {
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
    const stand = standOf(live, options.settings);
    if (stand === "stash") return { stash: live };
    // A pause that was begun while the namespace was served has to end all the same.
    if (!isInScope && !isHeld(live, options.settings.dialect)) return "ignored";
    const interest = await readInterest(live, options.settings, options.names);
    const note = ourNote(live.annotations, options.keys);
    const isOwn = isOwnNote(live.annotations, live.object, options.keys);
    const reading = {
      ...{ request, delivery, cluster, live, kind, interest, note, isOwn },
      ...{ noteCount: 0, unkept: undefined },
    };
    if (!isInScope) return { reading, stand, ...leftAlone(parseCarried(note, keys)) };
    const past = await pastOf(reading);
    const isNobody = past.carried === undefined && past.record?.served === undefined;
    if (isNobody && stand !== "owned" && isInterested(interest)) return { again: unlisted };
    return await planNow({ ...reading, noteCount: past.noteCount }, { stand, past, ahead, remembered });
  };

  async function pastOf(reading: Reading): Promise<KnownPast> {
    const noted = parseCarried(reading.note, keys);
    const record = isNoteEnough(noted, reading) ? undefined : await options.records.read(reading.request);
    return knownPast(noted, record, { ...reading, keys });
  }

  /** Undefined: it could not be read, and is asked for again by whoever needs it. */
  function readEarly(request: Request): Promise<WorkloadRecord | undefined> {
    return options.records.read(request).catch(() => undefined);
  }

  async function planNow(reading: Reading, { stand, past, ahead, remembered }: Before): Promise<Look> {
    const { cluster, live, interest, note } = reading;
    const { api } = cluster;
    const { carried } = past;
    const sights = stand === "owned" ? [] : await sources.look({ api, live, interest, note, carried, ahead });
    const planned = planWith(reading, sights, past, undefined);
    const isAllNoted = sights.every((sight) => isNoted(sight, carried));
    const isAsked = past.record !== undefined || isAllNoted;
    const isSure = planned.type === "record" && !planned.hingesOnPods && isAsked;
    if (isSure) return { reading, stand, planned, sights };
    // A note that stands on the workload may be an old one: nothing is rolled for it before Redis was asked, too.
    const isOnlyNote = past.record === undefined && isAllNoted && !planned.hingesOnPods;
    if (isOnlyNote && note !== undefined && (await remembered)?.note === note)
      return { reading, stand, planned, sights };
    const all = past.record === undefined ? await askedPast(reading) : past;
    const again = all === past ? planned : planWith(reading, sights, all, undefined);
    const judged = again.hingesOnPods
      ? planWith(reading, sights, all, await readPodsStart(live, reading))
      : again;
    const read = { ...reading, noteCount: all.noteCount, unkept: unkeptNote(all, note) };
    return { reading: read, stand, planned: judged, sights };
  }

  async function askedPast(reading: Reading): Promise<KnownPast> {
    return knownPast(parseCarried(reading.note, keys), await options.records.read(reading.request), {
      ...reading,
      keys,
    });
  }

  function planWith(
    reading: Reading,
    sights: readonly Sight[],
    past: KnownPast,
    podsStart: PodsStart | undefined,
  ): Plan {
    const { live, kind, interest } = reading;
    return plan({
      // A Job is made anew with its note.
      workload: { ...live, parsed: interest.template, uid: kind.kind === "Job" ? undefined : live.uid },
      carried: past.carried,
      isDamaged: past.isDamaged,
      notedAtSeconds: past.notedAtSeconds,
      sights,
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
function isNoted({ ref, patterns }: Sight, carried: Carried | undefined): boolean {
  return patterns.length === 0 || carried?.sources.has(localName(ref)) === true;
}

/** The note keeps what it says: another time under the same settings is no news. */
function servedOf({ carried, record }: KnownPast): Served | undefined {
  if (record?.served === undefined || record.served.as === carried?.served?.as) return carried?.served;
  return { as: record.served.as, sinceSeconds: record.served.sinceSeconds };
}

/** Of these almost all roll: what Redis remembers is read beside the workload, so that nobody waits for it. */
function isLikelyRoll({ purpose, isDoubtful }: Delivery): boolean {
  return purpose === "change" && !isDoubtful;
}

interface Before {
  readonly stand: Stand;
  /** What Redis remembered when the look began: tells that it remembers the note that stands there, and nothing else. */
  readonly remembered: Promise<WorkloadRecord | undefined> | undefined;
  readonly past: KnownPast;
  readonly ahead: ReadsAhead;
}

/** What a namespace that is not served leaves to decide: nothing, and the note stays. */
function leftAlone(carried: Carried | undefined): Planned {
  return { planned: { type: "record", carried, hingesOnPods: false }, sights: [] };
}
