import { Fault } from "@fleet-reloader/domain/fault";
import type { FrozenNow } from "@fleet-reloader/engine/admission/freezes";
import { answerWithin } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";

/** The documents that have ever been seen. This memory outlives the process. */
export interface KnownDocuments {
  /** The Redis of one data dir stores them, not one that processes with other data dirs share. */
  readonly isOfDataDir: boolean;
  has(name: string): Promise<boolean>;
  add(name: string): Promise<void>;
}

export interface FreezeAbsenceOptions {
  /** The place of the document, for people. */
  readonly place: string;
  /** The names of the document. No other remembered document has one of them. */
  readonly names: readonly string[];
  /** How to write an empty document. */
  readonly mend: string;
  /** The configuration names the document, so it has to exist, whether or not it was seen before. */
  readonly isNamed: boolean;
  /** Undefined: only what this process itself has seen is known. */
  readonly known: KnownDocuments | undefined;
  readonly clock: Clock;
}

/** Redis answers within a millisecond; after this it counts as unavailable. */
const absencePatienceMs = 2000;
/** A failed write is retried this often, but not before each roll. */
const absenceRetryMs = 5000;

/** Decides what a missing freeze document means. Removing a document lifts no freeze. */
export class FreezeAbsence {
  readonly #options: FreezeAbsenceOptions;
  #wasThere: boolean | undefined;
  #isKnown = false;
  #triedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: FreezeAbsenceOptions) {
    this.#options = options;
  }

  /** The document exists now. */
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

  /** The document does not exist now. Nothing is frozen if it never existed. Rejects when that is unknown. */
  async meaning(): Promise<FrozenNow> {
    const { isNamed, mend, place } = this.#options;
    this.#wasThere ??= await this.#isRemembered();
    if (this.#wasThere) return { type: "unreadable", why: `${place}: it was there and is gone; ${mend}` };
    return isNamed
      ? { type: "unreadable", why: `${place}: it is not there; ${mend}` }
      : { type: "known", freezes: [] };
  }

  /** Faults when the document existed and is gone: writing it again would lift what its absence freezes. */
  async assertNotGone(): Promise<void> {
    const { mend, place } = this.#options;
    // While that is unknown, people may freeze.
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
