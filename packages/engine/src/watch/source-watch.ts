import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Clock } from "../async/clock.ts";
import { windowOf } from "../observe/interest.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import {
  type Checkpoints,
  goneVersion,
  type ReferenceIndex,
  type SourceChange,
  type SourceVersion,
} from "../ports/reference-index.ts";
import type { ClusterId } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { StreamHandler, StreamState } from "../ports/source-stream.ts";
import type { Addition, Workqueue } from "../ports/workqueue.ts";
import { SourceThrottle } from "./source-throttle.ts";

export interface SourceWatchOptions {
  readonly cluster: ClusterId;
  /** What people call the cluster, for metrics. */
  readonly name: string;
  readonly kind: SourceKind;
  /** The namespace that is listed and watched; undefined means all. */
  readonly namespace: string | undefined;
  /** Of what has a checkpoint, what the list would show if it were there. */
  readonly isListed: (source: SourceRef) => boolean;
  readonly index: ReferenceIndex;
  readonly checkpoints: Checkpoints;
  readonly queue: Workqueue;
  readonly settings: Settings;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends what is told later. */
  readonly signal: AbortSignal;
  readonly onListed: () => void;
  readonly onState: (state: StreamState, why: string) => void;
}

const atOnce = { quietPeriodMs: 0, maxWaitMs: 0, purpose: "adoption" } as const;

/** What a list and watch of sources leads to. */
export interface SourceWatch extends StreamHandler<SourceVersion> {
  /** Resolves when nothing is told later any more; the signal has to be aborted for that. */
  ended(): Promise<void>;
}

/** A source that was told of rests for this part of the quiet period of those that use it: as much later they may be due after a storm. */
const throttleShare = 0.25;
/** A minute of quiet is no reason to tell of a change a quarter of a minute later. */
const throttleMaxMs = 500;

/**
 * Turns what a list or watch shows of one kind of source into requests for the workloads that use it. A list and an event
 * are treated alike: what matters is whether the version is the one handled last. Where deletions are changes, what has a
 * checkpoint and is not in a complete list was deleted unseen. Nothing is kept in memory but that, during a list, and what changes again
 * and again for a moment.
 */
export function createSourceWatch(options: SourceWatchOptions): SourceWatch {
  const { cluster, name, kind, index, checkpoints, queue, settings, meter } = options;

  /** Sources with a checkpoint that the list has not shown so far; undefined before it is known which there are. */
  let missing: Map<string, SourceRef> | undefined;
  const throttle = new SourceThrottle({
    ...options,
    async tell(rested) {
      await publishAndThrottle(
        rested.map(({ source }) => source),
        () => false,
      );
      meter.sourcesCompared(
        name,
        kind,
        rested.reduce((sum, { count }) => sum + count, 0),
      );
    },
  });

  return {
    listBegins() {
      missing = undefined;
    },
    async page(sources) {
      const expected = await stillMissing();
      for (const { ref } of sources) expected.delete(sourceKey(ref));
      if (sources.length === 0) return;
      meter.sourcesSeen(name, kind, sources.length, "listed");
      const kept = throttle.drop(sources.map(({ ref }) => ref));
      await publish(sources, () => true);
      meter.sourcesCompared(name, kind, sources.length + kept);
    },
    async listed() {
      await publishGone([...(await stillMissing()).values()]);
      missing = undefined;
      options.onListed();
    },
    async events(events) {
      const latest = [...new Map(events.map((event) => [sourceKey(event.object.ref), event])).values()];
      const gone = latest.filter((event) => event.type === "delete").map((event) => event.object.ref);
      if (gone.length > 0) {
        meter.sourcesSeen(name, kind, gone.length, "deleted");
        const kept = throttle.drop(gone);
        await publishGone(gone);
        meter.sourcesCompared(name, kind, gone.length + kept);
      }
      const upserts = latest.filter((event) => event.type === "upsert");
      const changed = upserts.map((event) => event.object);
      const made = new Set(events.flatMap(({ isNew, object }) => (isNew ? [sourceKey(object.ref)] : [])));
      if (changed.length === 0) return;
      meter.sourcesSeen(name, kind, changed.length, "changed");
      const admitted = throttle.admitted(changed);
      if (admitted.length === 0) return;
      await publishAndThrottle(admitted, (ref) => made.has(sourceKey(ref)));
      meter.sourcesCompared(name, kind, admitted.length);
    },
    stateChanged: options.onState,
    ended: () => throttle.ended(),
  };

  async function stillMissing(): Promise<Map<string, SourceRef>> {
    const handled =
      !settings.reloadOnDelete || missing !== undefined
        ? []
        : (await checkpoints.handledSources(kind, options.namespace)).filter(options.isListed);
    missing ??= new Map(handled.map((ref) => [sourceKey(ref), ref]));
    return missing;
  }

  /** Whether they are really gone, and not just no longer served, is seen when the workloads are looked at. */
  async function publishGone(gone: readonly SourceRef[]): Promise<void> {
    if (gone.length === 0) return;
    if (settings.reloadOnDelete)
      await request(
        await index.findChanged(gone.map((ref) => ({ ref, resourceVersion: goneVersion }))),
        () => false,
      );
    await checkpoints.forget(gone);
  }

  /** `mayAppear`: whether one that was never handled has just come to be, as far as this shows. */
  async function publish(
    sources: readonly SourceVersion[],
    mayAppear: (source: SourceRef) => boolean,
  ): Promise<readonly SourceChange[]> {
    const changed = await index.findChanged(sources);
    await request(changed, mayAppear);
    // Only after the queue holds them: a crash in between means the same again, never nothing.
    if (changed.length > 0) await checkpoints.markHandled(changed.map(({ source }) => source));
    return changed;
  }

  /** What is told of them from now on has to reach those that use them long before they stop waiting. */
  async function publishAndThrottle(
    sources: readonly SourceVersion[],
    mayAppear: (source: SourceRef) => boolean,
  ): Promise<void> {
    const changed = await publish(sources, mayAppear);
    const uses = new Map(changed.map(({ source, dependents }) => [sourceKey(source.ref), dependents]));
    for (const { ref } of sources) {
      let { quietPeriodMs } = settings.debounce;
      for (const { window } of uses.get(sourceKey(ref)) ?? [])
        quietPeriodMs = Math.min(quietPeriodMs, windowOf(window, settings).quietPeriodMs);
      throttle.throttle(ref, Math.min(throttleMaxMs, quietPeriodMs * throttleShare));
    }
  }

  /**
   * What has appeared is looked at at once: the pods that waited for it read it now, and what it becomes next has to be told from it. Only
   * a look that finds a reason to roll waits for quiet. A change of another source that comes with it takes precedence.
   */
  async function request(
    changed: readonly SourceChange[],
    mayAppear: (source: SourceRef) => boolean,
  ): Promise<void> {
    if (changed.length === 0) return;
    const additions = new Map<string, Addition>();
    for (const { source, isFirst, dependents } of changed) {
      const hasAppeared = isFirst && mayAppear(source.ref);
      for (const { workload, window } of dependents) {
        const key = workloadKey(workload);
        if (hasAppeared && additions.has(key)) continue;
        const when = hasAppeared ? atOnce : { ...windowOf(window, settings), purpose: "change" as const };
        additions.set(key, { request: { cluster, workload }, ...when });
      }
    }
    await queue.add([...additions.values()]);
    meter.requestsPublished(name, additions.size);
  }
}
