import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { Plan } from "@fleet-reloader/domain/plan/plan";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import type { Clock } from "../async/clock.ts";
import { windowOf } from "../observe/interest.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import type { Outcome } from "../ports/request.ts";
import type { Settings } from "../ports/settings.ts";
import type { Workqueue } from "../ports/workqueue.ts";
import type { Reading } from "./reading.ts";

export interface AuditFindingOptions {
  readonly queue: Workqueue;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

type Roll = Plan & { type: "roll" };

/** By then a watch has shown a write, also where clocks differ by a minute. */
const underWaySeconds = 120;

/**
 * An audit found a roll that is due. If a request of the workload waits, or is held, this is the change it is about. Otherwise it is
 * asked for like any change; and if it is old enough for a watch to have shown it, it was missed, which is a defect of ours.
 */
export function createAuditFinding(
  options: AuditFindingOptions,
): (reading: Reading, due: Roll, observedSources: readonly ObservedSource[]) => Promise<Outcome> {
  const { clock, log, meter, queue, settings } = options;

  return async (reading, due, observedSources) => {
    const { request, cluster, interest } = reading;
    if (await queue.waits(request)) return "unchanged";
    const sinceSeconds = clock.now() / 1000 - lastWriteSeconds(reading, due, observedSources);
    if (sinceSeconds > underWaySeconds) {
      const { workload } = request;
      const sources = due.changed.map(({ source: { kind, name }, reason }) => ({ kind, name, reason }));
      meter.auditFound(cluster.name, workload.kind);
      log.warn(
        { cluster: cluster.name, workload, reason: sources[0]?.reason, sources },
        "audit found a change that was missed",
      );
    }
    const window = windowOf(interest.optIn.overrides, settings);
    await queue.add([{ request, ...window, purpose: "change" }]);
    return "unchanged";
  };
}

/** Of the workload and of what has changed; a source that is gone has no time. */
function lastWriteSeconds(
  { live }: Reading,
  { changed }: Roll,
  observedSources: readonly ObservedSource[],
): number {
  const keys = new Set(changed.map(({ source }) => sourceKey(source)));
  const times = observedSources.flatMap(({ ref, live: source }) =>
    keys.has(sourceKey(ref)) && typeof source === "object" ? [source.writtenAtSeconds] : [],
  );
  return Math.max(live.writtenAtSeconds, ...times);
}
