import type { CompilePattern } from "@fleet-reloader/domain/annotation/name-list";
import type { AnnotationProblem } from "@fleet-reloader/domain/annotation/problem";
import { hasNote } from "@fleet-reloader/domain/carried/note";
import { isHeld } from "@fleet-reloader/domain/pause";
import type { SourceRef } from "@fleet-reloader/domain/source";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload";
import type { LiveWorkload } from "./cluster-api.ts";
import { fingerprint } from "./fingerprint.ts";
import { indexEntry, isInterested, readInterest } from "./interest.ts";
import type { IndexEntry, ReferenceIndex } from "./reference-index.ts";
import type { ClusterId } from "./request.ts";
import type { Settings } from "./settings.ts";
import type { StreamEvent, StreamHandler, StreamState } from "./source-stream.ts";
import { standOf } from "./stand-of.ts";
import type { Workqueue } from "./workqueue.ts";

export interface WorkloadWatchOptions {
  readonly cluster: ClusterId;
  readonly workloadKind: string;
  /** The namespace that is listed and watched; undefined means all. */
  readonly namespace: string | undefined;
  readonly index: ReferenceIndex;
  readonly queue: Workqueue;
  readonly settings: Settings;
  readonly compile: CompilePattern;
  readonly onListed: () => void;
  readonly onState: (state: StreamState, why: string) => void;
}

interface Seen {
  readonly workload: WorkloadRef;
  /** Undefined: it opts in to nothing. */
  readonly entry: IndexEntry | undefined;
  readonly sources: readonly SourceRef[];
  readonly hasNote: boolean;
  /** Held paused by us or by the peer: somebody has to resume it, whatever became of who meant to. */
  readonly isHeld: boolean;
  readonly isStash: boolean;
  /** Opts in to nothing, as far as it can be read: whoever wrote these meant something, and has to be told. */
  readonly unreadable: readonly AnnotationProblem[];
}

/** What a list and watch of workloads leads to; and what it means that a namespace is no longer served. */
export interface WorkloadWatch extends StreamHandler<LiveWorkload> {
  leave(namespace: string): Promise<void>;
}

/** By then the worker that made a stash is done with it, unless something happened to it. */
const stashMs = 5000;

/**
 * Keeps the reference index at what the workloads of one kind say, and asks for a reconcile of those that have to be
 * adopted: new ones, ones that changed what they opt in to, and ones whose note is gone. A stash that is left over of a
 * replacement is asked for, too, and a workload that would opt in if only its annotations could be read.
 */
export function createWorkloadWatch(options: WorkloadWatchOptions): WorkloadWatch {
  const { cluster, index, queue, settings, compile } = options;
  /** What is remembered of each workload, so that the ten status updates of a rollout cost nothing: a number, as there are many. */
  const known = new Map<string, number>();
  let listed = new Set<string>();

  return {
    listBegins() {
      listed = new Set();
    },
    async page(workloads) {
      for (const workload of workloads) listed.add(workloadKey(workload.ref));
      await take(workloads);
    },
    async listed() {
      await index.retain(options.workloadKind, options.namespace, listed);
      for (const key of known.keys()) if (!listed.has(key)) known.delete(key);
      listed = new Set();
      options.onListed();
    },
    async events(events) {
      const latest = [...new Map(events.map((event) => [workloadKey(event.object.ref), event])).values()];
      const gone = latest.filter((event) => event.type === "delete").map((event) => event.object.ref);
      if (gone.length > 0) await index.remove(gone);
      for (const workload of gone) known.delete(workloadKey(workload));
      await take(latest.filter(isUpsert).map((event) => event.object));
    },
    stateChanged: options.onState,
    async leave(namespace) {
      await index.retain(options.workloadKind, namespace, new Set());
      const prefix = `${options.workloadKind}/${namespace}/`;
      for (const key of known.keys()) if (key.startsWith(prefix)) known.delete(key);
    },
  };

  async function take(workloads: readonly LiveWorkload[]): Promise<void> {
    const fresh = workloads.flatMap((workload) => {
      const seen = see(workload);
      const { entry, isStash, unreadable } = seen;
      const shape = fingerprint(JSON.stringify([entry, seen.hasNote, seen.isHeld, isStash, unreadable]));
      return known.get(workloadKey(workload.ref)) === shape ? [] : [{ ...seen, shape }];
    });
    if (fresh.length === 0) return;
    const entries = fresh.flatMap(({ entry }) => entry ?? []);
    const changed = (await index.put(entries)).map((entry) => entry.workload);
    const changedKeys = new Set(changed.map(workloadKey));
    // Before anybody notes that it is there: else a deletion while nothing runs would leave no trace.
    if (settings.reloadOnDelete)
      await index.expect(
        fresh.flatMap(({ workload, sources }) => (changedKeys.has(workloadKey(workload)) ? sources : [])),
      );
    const without = fresh.filter(({ entry }) => entry === undefined).map(({ workload }) => workload);
    await index.remove(without);
    const due = fresh.filter(({ workload, entry, hasNote, isHeld, unreadable }) => {
      if (isHeld || unreadable.length > 0) return true;
      return entry === undefined ? hasNote : !hasNote || changedKeys.has(workloadKey(workload));
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

  function see(workload: LiveWorkload): Seen {
    const interest = readInterest(workload, settings, compile);
    const stand = standOf(workload, settings);
    const isOurs = stand !== "owned" && stand !== "stash";
    const isServed = isOurs && isInterested(interest);
    return {
      workload: workload.ref,
      entry: isServed ? indexEntry(workload, interest) : undefined,
      unreadable: isOurs && !isServed ? interest.optIn.problems : [],
      sources: interest.candidates,
      hasNote: hasNote(workload.annotations),
      isHeld: isHeld(workload, settings.dialect),
      isStash: stand === "stash",
    };
  }
}

function isUpsert(event: StreamEvent<LiveWorkload>): boolean {
  return event.type === "upsert";
}
