import type { ObservedSource } from "../plan/observed-source.ts";
import { clockSeconds } from "./pods-start.ts";

/** Times in whole seconds: of a run that was scheduled, and of the applied state, at the latest. */
export interface ScheduledRun {
  readonly dueAtSeconds: number;
  readonly appliedAtSeconds: number;
}

/**
 * Whether a run that was due at that time has read what these sources contain now: none of its pods started before. In the same second, or as
 * far apart as clocks may be, nobody knows which came first. A time before the applied state is not that of the change: keys were only removed.
 * Neither has a time of its own what is gone, and what pods show.
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
