import { asFault, Fault } from "@fleet-reloader/domain/fault";

/** Faults of these classes say that an act is refused, so that nothing was done. The others may come in its midst. */
const refusals = ["invalid", "misconfigured", "denied", "conflict"] as const;

const unknownMend =
  "look at the history, for example with fleet-reloader history --since 10m, before you act again";

/** Knows whether an act may have been done when it ends with a fault. */
export class BegunAct {
  readonly #isDryRun: boolean;
  #isBegun = false;

  constructor(isDryRun: boolean) {
    this.#isDryRun = isDryRun;
  }

  /** From now on it may be done. Throws when the caller was already told that it is not done: then it never begins. */
  begin(signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#isBegun = true;
  }

  /** The answer of the act. Faults with `act.unknown` when it began, and what stopped it is no refusal. */
  async outcomeOf<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      const fault = asFault(error);
      if (this.#isDryRun || !this.#isBegun || refusals.some((one) => one === fault.class)) throw fault;
      throw new Fault(
        "act.unknown",
        `it is not known whether it was done (${fault.class === "invariant" ? fault.code : fault.message}); ${unknownMend}`,
        { context: { mend: unknownMend }, cause: fault },
      );
    }
  }
}
