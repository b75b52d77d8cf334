import { fieldManager } from "../field-manager.ts";
import { isOlderVersion } from "../resource-version.ts";
import { managedFieldsOf } from "./managed-fields.ts";

/**
 * From when on a change of a source counts for a workload of which no note tells: no pod that has to have the change is older. Times are
 * the API server's, in whole seconds.
 */
export interface Start {
  readonly atSeconds: number;
  /** Version of the write that began it, where it was seen: tells what whole seconds do not. */
  readonly resourceVersion?: string;
}

/** What is known of the beginning of a workload's interest in its sources. */
export interface InterestHistory {
  /** The event with which its present interest was first seen: its making, its opt-in, another reference. */
  readonly seen: Start | undefined;
  /** Since when workloads like it are served: what was live before we ever came is no change. */
  readonly servedSinceSeconds: number;
  /** Redis had forgotten since when: a note told it. */
  readonly isRestored: boolean;
  /** The annotations that opt it in; none where a flag does. */
  readonly optInAnnotations: readonly string[];
  readonly templatePath: readonly string[];
  readonly createdAtSeconds: number;
  readonly object: unknown;
}

/** The beginning for a workload without any note. */
export function startOfUnnoted(history: InterestHistory): Start {
  const { seen, servedSinceSeconds, createdAtSeconds } = history;
  return seen ?? { atSeconds: Math.max(servedSinceSeconds, createdAtSeconds, optedInAt(history)) };
}

/**
 * The beginning for a source that the note does not name yet: the template or an annotation has come to name it. Nobody saw when, so it is the
 * last write of whoever owns these, but for us: what was written before was there when the interest began, or cannot be told apart.
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
 * An opt-in that a manager wrote who owns nothing of the template came after the workload was made. Who owns both may have made the workload
 * with it: where Redis remembers all that we noted, a workload without a note is a new one or was opted in since, and the time of the
 * write counts; where it does not, the note may have been lost in that very write, and only the making counts.
 */
function optedInAt({ object, optInAnnotations, templatePath, isRestored }: InterestHistory): number {
  const owners = managedFieldsOf(object).filter((entry) =>
    optInAnnotations.some((key) => entry.owns("metadata", "annotations", key)),
  );
  const webhookMode = owners.filter((entry) => !isRestored || !entry.owns(...templatePath));
  return webhookMode.length === owners.length
    ? Math.max(0, ...webhookMode.map(({ atSeconds }) => atSeconds))
    : 0;
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
