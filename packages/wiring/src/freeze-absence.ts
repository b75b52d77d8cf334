import { Fault } from "@fleet-reloader/domain/fault";
import type { FrozenNow } from "@fleet-reloader/engine/admission/freezes";
import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";

/** Which documents there have been, whatever became of them: remembered beyond the life of this process. */
export interface KnownDocuments {
  has(name: string): Promise<boolean>;
  add(name: string): Promise<void>;
}

export interface FreezeAbsenceOptions {
  /** What people call the place. */
  readonly place: string;
  /** No other document has this name, of this machine or of another. */
  readonly name: string;
  /** How to say that nothing is frozen. */
  readonly mend: string;
  /** It has to be there: somebody has named it. */
  readonly isNamed: boolean;
  /** Undefined: what was before this process is not known. */
  readonly known: KnownDocuments | undefined;
  readonly clock: Clock;
}

/** Redis answers within a millisecond. Nobody waits longer for one that is away. */
const patienceMs = 2000;
/** What is not written is tried again with the next look, and not with each roll. */
const retryMs = 5000;

/** What it means that a freeze document is not there. One that was there and is gone lifts no freeze. */
export class FreezeAbsence {
  readonly #options: FreezeAbsenceOptions;
  #wasThere: boolean | undefined;
  #isKnown = false;
  #triedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: FreezeAbsenceOptions) {
    this.#options = options;
  }

  /** It is there now. */
  seen(): void {
    const { clock, known, name } = this.#options;
    this.#wasThere = true;
    if (known === undefined || this.#isKnown || clock.monotonic() - this.#triedAtMs < retryMs) return;
    this.#triedAtMs = clock.monotonic();
    const noted = () => {
      this.#isKnown = true;
    };
    known.add(name).then(noted, () => undefined);
  }

  /** It is not there now: nothing is frozen if it never was. Rejects when nobody can tell. */
  async meaning(): Promise<FrozenNow> {
    const { isNamed, mend, place } = this.#options;
    this.#wasThere ??= await this.#isRemembered();
    if (this.#wasThere) return { type: "unreadable", why: `${place}: it was there and is gone; ${mend}` };
    return isNamed
      ? { type: "unreadable", why: `${place}: it is not there; ${mend}` }
      : { type: "known", freezes: [] };
  }

  async #isRemembered(): Promise<boolean> {
    const { clock, known, name } = this.#options;
    if (known === undefined) return false;
    let answer: boolean | undefined;
    const asked = known.has(name).then((is) => {
      answer = is;
    });
    await atMost(patienceMs, clock, asked);
    if (answer !== undefined) return answer;
    throw new Fault(
      "redis.unavailable",
      "it is not there, and Redis does not answer whether it ever was; bring Redis back",
    );
  }
}
