import { Fault } from "@fleet-reloader/domain/fault";
import type { FrozenNow } from "@fleet-reloader/engine/admission/freezes";
import { answerWithin } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";

/** The documents that have ever been seen. They are remembered longer than this process lives. */
export interface KnownDocuments {
  /** They are remembered by the Redis of one data dir, and not by one that processes with other data dirs share. */
  readonly isOfDataDir: boolean;
  has(name: string): Promise<boolean>;
  add(name: string): Promise<void>;
}

export interface FreezeAbsenceOptions {
  /** The place of the document, for people. */
  readonly place: string;
  /** The names of the document. No other document of those that are remembered together has one of them. */
  readonly names: readonly string[];
  /** How to write that nothing is frozen. */
  readonly mend: string;
  /** The configuration names the document, so it has to be there, and nobody needs to remember that it was. */
  readonly isNamed: boolean;
  /** Undefined: only what this process has seen is known. */
  readonly known: KnownDocuments | undefined;
  readonly clock: Clock;
}

/** Redis answers within a millisecond; it is taken for absent after this. */
const absencePatienceMs = 2000;
/** A write that failed is tried again this often, and not before each roll. */
const absenceRetryMs = 5000;

/** Decides what a missing freeze document means. A document that was there and is gone lifts no freeze. */
export class FreezeAbsence {
  readonly #options: FreezeAbsenceOptions;
  #wasThere: boolean | undefined;
  #isKnown = false;
  #triedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: FreezeAbsenceOptions) {
    this.#options = options;
  }

  /** The document is there now. */
  seen(): void {
    const { clock, isNamed, known, names } = this.#options;
    this.#wasThere = true;
    if (isNamed) return;
    if (known === undefined || this.#isKnown || clock.monotonic() - this.#triedAtMs < absenceRetryMs) return;
    this.#triedAtMs = clock.monotonic();
    const noted = () => {
      this.#isKnown = true;
    };
    Promise.all(names.map((name) => known.add(name))).then(noted, () => undefined);
  }

  /** The document is not there now. Nothing is frozen if it never was there. Rejects when that is not known. */
  async meaning(): Promise<FrozenNow> {
    const { isNamed, mend, place } = this.#options;
    this.#wasThere ??= await this.#isRemembered();
    if (this.#wasThere) return { type: "unreadable", why: `${place}: it was there and is gone; ${mend}` };
    return isNamed
      ? { type: "unreadable", why: `${place}: it is not there; ${mend}` }
      : { type: "known", freezes: [] };
  }

  /** Faults where the document was there and is gone: one that is written anew would lift what is frozen by that. */
  async assertNotGone(): Promise<void> {
    const { mend, place } = this.#options;
    // While nobody knows, people may freeze.
    this.#wasThere ??= await this.#isRemembered().catch(() => undefined);
    if (this.#wasThere === true)
      throw new Fault(
        "config.invalid",
        `${place}: it was there and is gone, so everything is frozen, and it is not made anew with a single freeze; ${mend}, and write again`,
      );
  }

  async #isRemembered(): Promise<boolean> {
    const { clock, isNamed, known, names } = this.#options;
    if (known === undefined || isNamed) return false;
    const asked = Promise.all(names.map((name) => known.has(name)));
    const late = "it is not there, and Redis does not answer whether it ever was; bring Redis back";
    return (await answerWithin(absencePatienceMs, clock, asked, late)).includes(true);
  }
}
