import type { AnnotationProblem } from "@fleet-reloader/domain/annotation/problem";
import { hasAppliedState, hasOwnAppliedState } from "@fleet-reloader/domain/applied/applied-annotation";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { isHeld } from "@fleet-reloader/domain/workload/pause";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "../async/clock.ts";
import { eligibilityOf } from "../observe/eligibility-of.ts";
import { fingerprint } from "../observe/fingerprint.ts";
import { indexEntry, isInterested, readInterest } from "../observe/interest.ts";
import type { NameMatches } from "../observe/name-matches.ts";
import { ServedSince } from "../observe/served-since.ts";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { IndexEntry, ReferenceIndex } from "../ports/reference-index.ts";
import type { ClusterId } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { StreamEvent, StreamHandler, StreamState } from "../ports/source-stream.ts";
import type { SeenInterest } from "../ports/workload-records.ts";
import type { Workqueue } from "../ports/workqueue.ts";

export interface WorkloadWatchOptions {
  readonly cluster: ClusterId;
  readonly workloadKind: string;
  /** The namespace that is listed and watched; undefined means all. */
  readonly namespace: string | undefined;
  readonly index: ReferenceIndex;
  readonly queue: Workqueue;
  readonly settings: Settings;
  readonly names: NameMatches;
  readonly clock: Clock;
  /** The API server's time now, as `ClusterStreams` tells it. */
  readonly serverSeconds: () => number | undefined;
  readonly onListed: () => void;
  readonly onState: (state: StreamState, why: string) => void;
}

interface Seen {
  readonly workload: WorkloadRef;
  /** Undefined: it opts in to nothing. */
  readonly entry: IndexEntry | undefined;
  readonly sources: readonly SourceRef[];
  /** As we wrote it, or as somebody else did: that has to be looked at. */
  readonly note: "own" | "other" | "none";
  /** Held paused by us or by the peer: somebody has to resume it, whatever became of who meant to. */
  readonly isHeld: boolean;
  readonly isStash: boolean;
  /** Opts in to nothing, as far as it can be read: whoever wrote these meant something, and has to be told. */
  readonly unreadable: readonly AnnotationProblem[];
}

interface Fresh extends Seen {
  /** What is remembered of it once it is taken. */
  readonly shape: number;
  readonly seen: SeenInterest | undefined;
}

/** The states of a workload that were seen to come, the last one included; none where nobody watched. */
type Shown = (workload: LiveWorkload) => readonly LiveWorkload[];

/** What a list and watch of workloads leads to; and what it means that a namespace is served from now on, or no longer. */
export interface WorkloadWatch extends StreamHandler<LiveWorkload> {
  /** What is listed of it until `entered` was there before it was served. */
  enters(namespace: string): void;
  entered(namespace: string): void;
  leave(namespace: string): Promise<void>;
  /** Keys of the workloads that opt in to anything now. */
  optedIn(): Iterable<string>;
}

/** By then the worker that made a stash is done with it, unless something happened to it. */
const stashMs = 5000;

/**
 * Keeps the reference index at what the workloads of one kind say, and asks for a reconcile of those that have to be
 * adopted: new ones, ones that changed what they opt in to, and ones whose note is gone. A stash that is left over of a
 * replacement is asked for, too, and a workload that would opt in if only its annotations could be read.
 */
export function createWorkloadWatch(options: WorkloadWatchOptions): WorkloadWatch {
  const { cluster, index, queue, settings, names } = options;
  /**
   * What is remembered of each workload, so that the ten status updates of a rollout cost nothing: a number, as there are many.
   * Its sign says whether the workload opts in to anything, which costs no memory: below 0 it does not.
   */
  const known = new Map<string, number>();
  let listed = new Set<string>();
  const served = new ServedSince(options);
  const entering = new Set<string>();

  return {
    listBegins() {
      listed = new Set();
      served.listBegins();
    },
    async page(workloads) {
      for (const workload of workloads) listed.add(workloadKey(workload.ref));
      served.page(workloads);
      await take(workloads, () => []);
    },
    async listed() {
      await served.listed();
      await index.retain(options.workloadKind, options.namespace, listed);
      for (const key of known.keys()) if (!listed.has(key)) known.delete(key);
      listed = new Set();
      options.onListed();
    },
    async events(events) {
      const latest = [...new Map(events.map((event) => [workloadKey(event.object.ref), event])).values()];
      // Also what was made anew since: another workload, of which nothing is known.
      const gone = events.filter((event) => event.type === "delete").map((event) => event.object.ref);
      if (gone.length > 0) await index.remove(gone);
      for (const workload of gone) known.delete(workloadKey(workload));
      const shown = Map.groupBy(events.filter(isUpsert), (event) => workloadKey(event.object.ref));
      await take(
        latest.filter(isUpsert).map((event) => event.object),
        ({ ref }) => (shown.get(workloadKey(ref)) ?? []).map(({ object }) => object),
      );
    },
    enters: (namespace) => void entering.add(namespace),
    entered: (namespace) => void entering.delete(namespace),
    stateChanged: options.onState,
    async leave(namespace) {
      await index.retain(options.workloadKind, namespace, new Set());
      const prefix = `${options.workloadKind}/${namespace}/`;
      for (const key of known.keys()) if (key.startsWith(prefix)) known.delete(key);
    },
    *optedIn() {
      for (const [key, shape] of known) if (shape >= 0) yield key;
    },
  };

  /** Those that are not as they were taken last. */
  async function singleFlightOf(workloads: readonly LiveWorkload[], shown: Shown): Promise<readonly Fresh[]> {
    const fresh: Fresh[] = [];
    for (const workload of workloads) {
      const seen = await see(workload);
      const { entry, isStash, unreadable } = seen;
      const print = fingerprint(JSON.stringify([entry, seen.note, seen.isHeld, isStash, unreadable]));
      const shape = entry === undefined ? -1 - print : print;
      const states = shown(workload);
      // Somebody's note may have come and gone between two of ours.
      const isOther = states.length > 1 && states.some(isDisowned);
      // Where this fails, a list shows only the last of them.
      if (isOther) known.delete(workloadKey(workload.ref));
      if (known.get(workloadKey(workload.ref)) === shape) continue;
      const first = await firstLike(entry, states, workload);
      fresh.push({ ...seen, shape, seen: first === undefined ? enteredNow(workload) : seenIn(first) });
    }
    return fresh;
  }

  async function take(workloads: readonly LiveWorkload[], shown: Shown): Promise<void> {
    const fresh = await singleFlightOf(workloads, shown);
    if (fresh.length === 0) return;
    const entries = fresh.flatMap(({ entry, seen }) =>
      entry === undefined ? [] : [{ ...entry, ...(seen === undefined ? {} : { seen }) }],
    );
    const changed = (await index.put(entries)).map((entry) => entry.workload);
    const changedKeys = new Set(changed.map(workloadKey));
    // Before anybody notes that it is there: else a deletion while nothing runs would leave no trace.
    if (settings.reloadOnDelete)
      await index.expect(
        fresh.flatMap(({ workload, sources }) => (changedKeys.has(workloadKey(workload)) ? sources : [])),
      );
    const without = fresh.filter(({ entry }) => entry === undefined).map(({ workload }) => workload);
    await index.remove(without);
    const due = fresh.filter(({ workload, entry, note, isHeld, unreadable }) => {
      if (isHeld || unreadable.length > 0) return true;
      return entry === undefined ? note !== "none" : note !== "own" || changedKeys.has(workloadKey(workload));
    });
    await queue.add(
      due.map(({ workload }) => ({
        request: { cluster, workload },
        quietPeriodMs: 0,
        maxWaitMs: 0,
        purpose: "adoption",
      })),
    );
    await queue.add(
      fresh
        .filter(({ isStash }) => isStash)
        .map(({ workload }) => ({
          request: { cluster, workload },
          quietPeriodMs: stashMs,
          maxWaitMs: stashMs,
          purpose: "change",
        })),
    );
    if (changed.length > 0) await index.markPublished(changed);
    // Remembered only now: had anything failed, the same event would have to do it again.
    for (const { workload, shape } of fresh) known.set(workloadKey(workload), shape);
  }

  /** What was there before its namespace came to be served is adopted as it is; within a second nobody knows which came first. */
  function enteredNow({ ref, uid }: LiveWorkload): SeenInterest | undefined {
    const now = options.serverSeconds();
    return entering.has(ref.namespace) && now !== undefined ? { uid, atSeconds: now + 1 } : undefined;
  }

  /** The first of these states with the interest that the last has. Several may come at once, and its sources may have changed in between. */
  async function firstLike(
    entry: IndexEntry | undefined,
    shown: readonly LiveWorkload[],
    { uid }: LiveWorkload,
  ): Promise<LiveWorkload | undefined> {
    if (shown.length < 2 || entry === undefined) return shown[0];
    const interest = JSON.stringify({ ...entry, scope: "" });
    for (const one of shown)
      if (one.uid === uid && JSON.stringify({ ...(await see(one)).entry, scope: "" }) === interest)
        return one;
    return undefined;
  }

  async function see(workload: LiveWorkload): Promise<Seen> {
    const interest = await readInterest(workload, settings, names);
    const eligibility = eligibilityOf(workload, settings);
    const isOurs = eligibility !== "owned" && eligibility !== "stash";
    const isServed = isOurs && isInterested(interest);
    return {
      workload: workload.ref,
      entry: isServed ? indexEntry(workload, interest) : undefined,
      unreadable: isOurs && !isServed ? interest.optIn.problems : [],
      sources: interest.candidates,
      note: hasOwnAppliedState(workload) ? "own" : hasAppliedState(workload.annotations) ? "other" : "none",
      isHeld: isHeld(workload, settings.dialect),
      isStash: eligibility === "stash",
    };
  }
}

/** A note stands on it that somebody else wrote. */
function isDisowned(workload: LiveWorkload): boolean {
  return hasAppliedState(workload.annotations) && !hasOwnAppliedState(workload);
}

function seenIn({ uid, resourceVersion, writtenAtSeconds }: LiveWorkload): SeenInterest {
  return { uid, resourceVersion, atSeconds: writtenAtSeconds };
}

function isUpsert(event: StreamEvent<LiveWorkload>): boolean {
  return event.type === "upsert";
}
