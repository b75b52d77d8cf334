import type { Clock } from "./clock.ts";
import type { Freezes, FrozenNow } from "./freezes.ts";
import type { Log } from "./log.ts";
import type { Meter } from "./meter.ts";
import { unlessAborted } from "./unless-aborted.ts";

export interface FreezeWatchOptions {
  readonly freezes: Freezes;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** A document that cannot be read is noticed this soon, also while nothing is due. */
const everyMs = 5000;

/** Freezes, and whether they can be read: in the log when that changes, as a metric, and as a note for `/ready`. */
export class FreezeWatch implements Freezes {
  readonly #options: FreezeWatchOptions;
  #unreadable: string | undefined;

  constructor(options: FreezeWatchOptions) {
    this.#options = options;
  }

  /** What people should know, a line each. */
  get notes(): readonly string[] {
    return this.#unreadable === undefined
      ? []
      : [`freezes cannot be read, and nothing is rolled: ${this.#unreadable}`];
  }

  async now(): Promise<FrozenNow> {
    const frozen = await this.#options.freezes.now();
    this.#tell(frozen.type === "unreadable" ? frozen.why : undefined);
    return frozen;
  }

  /** Looks now and then, until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await unlessAborted(this.now(), signal, "freezes").catch(() => undefined);
      await this.#options.clock.sleep(everyMs, signal).catch(() => undefined);
    }
  }

  #tell(why: string | undefined): void {
    const { log, meter } = this.#options;
    meter.freezesReadable(why === undefined);
    if (why === this.#unreadable) return;
    this.#unreadable = why;
    if (why !== undefined)
      log.error({ reason: "FreezeUnreadable", err: why }, "freezes cannot be read; nothing is rolled");
    else log.info({}, "freezes can be read again");
  }
}
