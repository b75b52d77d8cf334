import { asFault, Fault } from "@fleet-reloader/domain/fault";

/** A fault of one of these classes refuses the act, so nothing was done. A fault of another class may come in the middle of the act. */
const refusals = ["invalid", "misconfigured", "denied", "conflict"] as const;

const unknownMend =
  "look at the history, for example with fleet-reloader history --since 10m, before you act again";

/** Tells whether an act that ends with a fault may have been done. */
export class BegunAct {
  readonly #isDryRun: boolean;
  #isBegun = false;

  constructor(isDryRun: boolean) {
    this.#isDryRun = isDryRun;
  }

  /** Marks the act as begun: from now on it may be done. Throws when the caller already has the answer that it is not done; then it never begins. */
  begin(signal: AbortSignal): void {
    signal.throwIfAborted();
    this.#isBegun = true;
  }

  /** The answer of the act. Faults with `act.unknown` when the act had begun and its fault is no refusal. */
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
