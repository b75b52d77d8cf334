import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { RollPlan } from "@fleet-reloader/domain/plan/plan";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import type { Fact } from "../history/fact.ts";
import type { Reading } from "./reading.ts";

/** By then a watch has shown a write, even if clocks differ by a minute. */
const underWaySeconds = 120;

/**
 * The facts to record when an audit finds a due roll and no request of the workload waits or is held. If a watch has had time to show the
 * change, the change was missed, which is a defect of ours. A younger change is under way.
 */
export function missedChange(
  reading: Reading,
  due: RollPlan,
  observedSources: readonly ObservedSource[],
  nowMs: number,
): readonly Fact[] {
  const ageSeconds = nowMs / 1000 - lastWriteSeconds(reading, due, observedSources);
  return ageSeconds > underWaySeconds ? [{ type: "change-missed", changed: due.changed }] : [];
}

/** The time of the last write of the workload and of its changed sources; a source that is gone has no time. */
function lastWriteSeconds(
  { live }: Reading,
  { changed }: RollPlan,
  observedSources: readonly ObservedSource[],
): number {
  const keys = new Set(changed.map(({ source }) => sourceKey(source)));
  const times = observedSources.flatMap(({ ref, live: source }) =>
    keys.has(sourceKey(ref)) && typeof source === "object" ? [source.writtenAtSeconds] : [],
  );
  return Math.max(live.writtenAtSeconds, ...times);
}
