import { appliedPatch } from "@fleet-reloader/domain/applied/applied-annotation";
import { nextAppliedText } from "@fleet-reloader/domain/applied/next-applied-text";
import type { RollPlan } from "@fleet-reloader/domain/plan/plan";
import { templateEdit } from "@fleet-reloader/domain/plan/template-edit";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { ReloadStrategy } from "@fleet-reloader/domain/strategy/reload-strategy";
import type { RollWrite } from "@fleet-reloader/domain/strategy/roll-write";
import type { Clock } from "../async/clock.ts";
import type { WorkloadPatch } from "../ports/cluster-api.ts";
import type { Settings } from "../ports/settings.ts";
import type { Reading } from "./reading.ts";

/** A due roll, prepared before it is asked whether it may be written. */
export interface PreparedRoll {
  readonly planned: RollPlan;
  readonly strategy: ReloadStrategy;
  readonly how: RollWrite;
  /** The next text of the applied state. */
  readonly appliedText: string;
  /** The change of annotations that writes it. */
  readonly annotations: WorkloadPatch["annotations"];
}

/** How a roll of this workload is written. */
export function strategyOf({ interest }: Reading, settings: Settings): ReloadStrategy {
  return interest.optIn.overrides.strategy ?? settings.strategy;
}

/** Writes nothing. Where the roll creates an object, it checks whether an earlier attempt has created it. */
export async function prepareRoll(
  reading: Reading,
  planned: RollPlan,
  { clock, keys, settings }: { readonly clock: Clock; readonly keys: Keyring; readonly settings: Settings },
): Promise<PreparedRoll> {
  const { cluster, delivery, live, kind, interest, appliedText: before, appliedCount, isOwn } = reading;
  const strategy = strategyOf(reading, settings);
  const nowMs = clock.now();
  const nowSeconds = Math.floor(nowMs / 1000);
  const edit = templateEdit(planned, strategy, interest.template, { keys, nowSeconds });
  const state = { text: before, count: appliedCount, isFence: false };
  const appliedText = nextAppliedText(planned.applied, state, keys);
  const annotations = appliedPatch(live.annotations, keys, appliedText);
  // Redis has no record of it: the worker was lost between the write and its record.
  const isWritten = delivery.isDoubtful && isOwn && appliedText === before;
  const applied = { before, after: appliedText, isWritten, annotations };
  const keyed = keys.current;
  const how = kind.roll({ live, edit, mark: planned.mark, applied, nowMs, keyed });
  const isThere =
    how.type === "create" &&
    how.made !== undefined &&
    (await cluster.api.readWorkload(how.made.ref, delivery.signal)) !== undefined;
  return { planned, strategy, how: isThere ? { ...how, made: undefined } : how, appliedText, annotations };
}
