import { fieldManager } from "../field-manager.ts";
import { isOlderVersion } from "../resource-version.ts";
import { managedFieldsOf } from "./managed-fields.ts";

/**
 * From when on a change of a source counts for a workload without an applied state: no pod that has to have the change is older. Times
 * are the API server's, in whole seconds.
 */
export interface Start {
  readonly atSeconds: number;
  /** Version of the write that began it, where it was seen: it orders writes within one second. */
  readonly resourceVersion?: string;
}

/** What is known of the beginning of a workload's interest in its sources. */
export interface InterestHistory {
  /** The event with which its present interest was first seen: its making, its opt-in, another reference. */
  readonly seen: Start | undefined;
  /** Since when workloads like it are served: what was live before we ever came is no change. */
  readonly servedSinceSeconds: number;
  /** Redis had forgotten the time: it was restored from an applied state. */
  readonly isRestored: boolean;
  /** The annotations that opt it in; none where a flag does. */
  readonly optInAnnotations: readonly string[];
  readonly templatePath: readonly string[];
  readonly createdAtSeconds: number;
  readonly object: unknown;
}

/** The beginning for a workload without any applied state. */
export function startWithoutState(history: InterestHistory): Start {
  const { seen, servedSinceSeconds, createdAtSeconds } = history;
  return seen ?? { atSeconds: Math.max(servedSinceSeconds, createdAtSeconds, optedInAt(history)) };
}

/**
 * The beginning for a source that the applied state does not name yet: the template or an annotation names it only now. Nobody saw when,
 * so it is the last write of the owners of these, except ours. What was written before existed when the interest began, or cannot be told
 * apart from that.
 */
export function startOfInterest(history: InterestHistory): Start {
  const { seen, createdAtSeconds, object, templatePath, optInAnnotations } = history;
  const writers = managedFieldsOf(object).filter(
    (entry) =>
      entry.manager !== fieldManager &&
      (entry.owns(...templatePath) ||
        optInAnnotations.some((key) => entry.owns("metadata", "annotations", key))),
  );
  return seen ?? { atSeconds: Math.max(createdAtSeconds, ...writers.map(({ atSeconds }) => atSeconds)) };
}

/**
 * A manager that owns the opt-in and nothing of the template opted in after the workload was made. A manager that owns both may have made
 * the workload with the opt-in. Where Redis remembers all that we recorded, a workload without an applied state is new or was opted in
 * since, and the time of that write counts. Where Redis has forgotten, that very write may have removed the applied state, and only the
 * making counts.
 */
function optedInAt({ object, optInAnnotations, templatePath, isRestored }: InterestHistory): number {
  const owners = managedFieldsOf(object).filter((entry) =>
    optInAnnotations.some((key) => entry.owns("metadata", "annotations", key)),
  );
  const counted = owners.filter((entry) => !isRestored || !entry.owns(...templatePath));
  return counted.length === owners.length ? Math.max(0, ...counted.map(({ atSeconds }) => atSeconds)) : 0;
}

/** Content of a source as it was written last. */
export interface WrittenContent {
  readonly writtenAtSeconds: number;
  readonly resourceVersion: string;
}

/** Whether pods that started at the beginning or later may have read something older than this content. */
export function mayPrecede(start: Start, written: WrittenContent): boolean {
  if (written.writtenAtSeconds !== start.atSeconds) return written.writtenAtSeconds > start.atSeconds;
  // Within the same second, where nobody watched, it was applied together.
  return (
    start.resourceVersion !== undefined && isOlderVersion(start.resourceVersion, written.resourceVersion)
  );
}
