import type { ChangedObservation } from "@fleet-reloader/domain/plan/plan";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import type { ChangeStage } from "../ports/meter.ts";
import type { DeliveryTimes } from "../ports/workqueue.ts";
import type { RolledFact } from "./fact.ts";

/** How long a change took from one stage to the next. */
export interface StageReached {
  readonly stage: ChangeStage;
  readonly seconds: number;
}

/**
 * The stages of a roll that has just been written. The time of the write is the API server's, in whole seconds. So "seen" may be up to a
 * second too long; it is missing if the time is not known, or if the source was written again after the watch first saw it. Without the
 * times of the delivery there are no stages.
 */
export function stagesOfRoll(
  { changed, observedSources }: Pick<RolledFact, "changed" | "observedSources">,
  times: DeliveryTimes | undefined,
  nowMs: number,
): readonly StageReached[] {
  if (times === undefined) return [];
  const { seenAtMs, takenAtMs } = times;
  const written = [...writeTimesMs(changed, observedSources).values()];
  const writtenAtMs = written.length === 0 ? undefined : Math.min(...written);
  const isBefore = writtenAtMs !== undefined && writtenAtMs <= seenAtMs;
  return [
    ...(isBefore ? [reached("seen", writtenAtMs, seenAtMs)] : []),
    reached("taken", seenAtMs, takenAtMs),
    reached("patched", takenAtMs, nowMs),
  ];
}

/** When each changed source was written, by its key. A source whose API server does not show the time is missing. */
export function writeTimesMs(
  changed: readonly ChangedObservation[],
  observedSources: RolledFact["observedSources"],
): ReadonlyMap<string, number> {
  const names = new Set(changed.map(({ source }) => sourceKey(source)));
  return new Map(
    observedSources.flatMap(({ ref, live }) => {
      const at = typeof live === "object" ? live.write?.by?.atSeconds : undefined;
      const key = sourceKey(ref);
      return at !== undefined && names.has(key) ? [[key, at * 1000] as const] : [];
    }),
  );
}

function reached(stage: ChangeStage, fromMs: number, toMs: number): StageReached {
  return { stage, seconds: Math.max(0, toMs - fromMs) / 1000 };
}
