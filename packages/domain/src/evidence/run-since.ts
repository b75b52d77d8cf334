import type { ObservedSource } from "../plan/observed-source.ts";
import { clockSeconds } from "./pods-start.ts";

/** Times in whole seconds: when a scheduled run was due, and the latest time at which the applied state was written. */
export interface ScheduledRun {
  readonly dueAtSeconds: number;
  readonly appliedAtSeconds: number;
}

/**
 * Whether a run that was due at that time has read what these sources contain now, because none of its pods started before. Within the same
 * second, or the difference that clocks may have, nobody knows which came first. A write time before the applied state is not the time of the
 * change: keys were only removed. A deleted source, and a content that pods show, have no time of their own.
 */
export function hasRunSince(
  { dueAtSeconds, appliedAtSeconds }: ScheduledRun,
  changed: readonly Pick<ObservedSource, "live">[],
): boolean {
  return (
    changed.length > 0 &&
    changed.every(({ live }) => {
      if (typeof live !== "object" || live.asOfSeconds !== undefined) return false;
      const { writtenAtSeconds } = live;
      return writtenAtSeconds > appliedAtSeconds && dueAtSeconds > writtenAtSeconds + clockSeconds;
    })
  );
}
