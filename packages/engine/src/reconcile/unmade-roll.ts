import { Fault } from "@fleet-reloader/domain/fault";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import type { RollPlan } from "@fleet-reloader/domain/plan/plan";

/** The fault of a write, and the roll that was due when it failed. The queue treats it like the original fault. */
export class UnmadeRoll extends Fault {
  readonly changed: RollPlan["changed"];
  readonly observedSources: readonly ObservedSource[];

  constructor(fault: Fault, roll: Pick<UnmadeRoll, "changed" | "observedSources">) {
    const { code, message, context, cause, retryAfterMs } = fault;
    super(code, message, retryAfterMs === undefined ? { context, cause } : { context, cause, retryAfterMs });
    this.changed = roll.changed;
    this.observedSources = roll.observedSources;
  }
}
