import { fieldManager } from "../field-manager.ts";
import { isOlderVersion } from "../resource-version.ts";
import { managedFieldsOf } from "./managed-fields.ts";

/**
 * The time from which a change of a source counts for a workload without an applied state: no pod that needs the change is older. Times are the
 * API server's, in whole seconds.
 */
export interface Start {
  readonly atSeconds: number;
  /** Version of the write that began it, if we saw it. It orders writes within one second. */
  readonly resourceVersion?: string;
}

/** What is known of when a workload began to use or opt in to its sources. */
export interface InterestHistory {
  /** The event that first showed its present interest: its creation, its opt-in, or another reference. */
  readonly seen: Start | undefined;
  /** The time since which workloads like it are served. Content that was live before we came is no change. */
  readonly servedSinceSeconds: number;
  /** Redis had lost the time, and an applied state restored it. */
  readonly isRestored: boolean;
  /** The annotations that opt it in; none when a flag does. */
  readonly optInAnnotations: readonly string[];
  readonly templatePath: readonly string[];
  readonly createdAtSeconds: number;
  readonly object: unknown;
}

/** The start for a workload without an applied state. */
export function startWithoutState(history: InterestHistory): Start {
  const { seen, servedSinceSeconds, createdAtSeconds } = history;
  return seen ?? { atSeconds: Math.max(servedSinceSeconds, createdAtSeconds, optedInAt(history)) };
}

/**
 * The start for a source that the applied state does not name yet, because the template or an annotation names it only now. If we did not see
 * when, it is the last write by any owner of these except us. Content written before that existed when the interest began, or cannot be told
 * apart from content that did.
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
 * The time of the opt-in, as the owners of its annotations show it. A manager that owns the opt-in and nothing of the template opted in after
 * the workload was made. A manager that owns both may have made the workload with the opt-in. If Redis remembers all that we recorded, a
 * workload without an applied state is new or was opted in since, and the time of that write counts. If Redis has forgotten, that write may have
 * removed the applied state, and only the creation counts.
 */
function optedInAt({ object, optInAnnotations, templatePath, isRestored }: InterestHistory): number {
  const owners = managedFieldsOf(object).filter((entry) =>
    optInAnnotations.some((key) => entry.owns("metadata", "annotations", key)),
  );
  const counted = owners.filter((entry) => !isRestored || !entry.owns(...templatePath));
  return counted.length === owners.length ? Math.max(0, ...counted.map(({ atSeconds }) => atSeconds)) : 0;
}

/** A content of a source, by its last write. */
export interface WrittenContent {
  readonly writtenAtSeconds: number;
  readonly resourceVersion: string;
}

/** Whether pods that started at `start` or later may have read something older than this content. */
export function mayPrecede(start: Start, written: WrittenContent): boolean {
  if (written.writtenAtSeconds !== start.atSeconds) return written.writtenAtSeconds > start.atSeconds;
  // Within the same second, if nobody watched, it counts as applied together.
  return (
    start.resourceVersion !== undefined && isOlderVersion(start.resourceVersion, written.resourceVersion)
  );
}
