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
 * The stages of a roll that was written just now. The time of the write is the API server's, in whole seconds: "seen" is up to a second too
 * long, and is missing where the time is not known, or where the source was written again after the watch saw it first. Without the times
 * of the delivery there are none.
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

/** When each of the changed sources was written, by its key; none where no API server says so. */
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
