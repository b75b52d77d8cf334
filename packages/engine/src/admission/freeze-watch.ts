import type { ListedCluster } from "@fleet-reloader/domain/cluster/listed-cluster";
import {
  describeScope,
  type Freeze,
  isInForce,
  unreadableFreezesText,
} from "@fleet-reloader/domain/hold/freeze";
import { frozenClustersOf } from "@fleet-reloader/domain/hold/freeze-coverage";
import type { Clock } from "../async/clock.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import type { Freezes, FrozenNow } from "./freezes.ts";

export interface FreezeWatchOptions {
  readonly freezes: Freezes;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** The registered clusters. Absent if they are not known. */
  readonly registered?: () => readonly ListedCluster[];
}

/** How soon an unreadable document is noticed while no roll is due. */
const freezesEveryMs = 5000;

/** Reads freezes and reports whether they can be read: in the log when that changes, as a metric, and as a note for `/ready`. */
export class FreezeWatch implements Freezes {
  readonly #options: FreezeWatchOptions;
  #unreadable: string | undefined;
  /** A line for each freeze in force that covers no registered cluster. */
  #idle: ReadonlySet<string> = new Set();
  #toldIdle: ReadonlySet<string> = new Set();

  constructor(options: FreezeWatchOptions) {
    this.#options = options;
  }

  /** Lines for people. */
  get notes(): readonly string[] {
    return this.#unreadable === undefined ? [...this.#toldIdle] : [unreadableFreezesText(this.#unreadable)];
  }

  async now(): Promise<FrozenNow> {
    const frozen = await this.#options.freezes.now();
    this.#tell(frozen);
    return frozen;
  }

  /** Reads the freezes every few seconds until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const reading = this.#options.freezes.now();
      // A read that fails because this process ends says nothing about the freezes.
      const frozen = await unlessAborted(reading, signal, "freezes").catch(() => undefined);
      if (frozen !== undefined) this.#tell(frozen);
      if (frozen?.type === "known") this.#tellIdle(frozen.freezes);
      await this.#options.clock.sleep(freezesEveryMs, signal).catch(() => undefined);
    }
  }

  /** Reports a freeze that covers nothing after two readings in a row: at the start not all registrations are known. */
  #tellIdle(freezes: readonly Freeze[]): void {
    const { clock, log, registered } = this.#options;
    if (registered === undefined) return;
    const idle = freezes.flatMap((freeze) => {
      const { scope } = freeze;
      const { missing } = frozenClustersOf(scope, registered());
      return missing === undefined || !isInForce(freeze, clock.now())
        ? []
        : [`the freeze of ${describeScope(scope)} covers nothing: ${missing}`];
    });
    const lasting = new Set(idle.filter((line) => this.#idle.has(line)));
    for (const line of lasting) if (!this.#toldIdle.has(line)) log.warn({ reason: "FreezeIdle" }, line);
    this.#idle = new Set(idle);
    this.#toldIdle = lasting;
  }

  #tell(frozen: FrozenNow): void {
    const { log, meter } = this.#options;
    const why = frozen.type === "unreadable" ? frozen.why : undefined;
    meter.freezesReadable(why === undefined);
    if (why === this.#unreadable) return;
    this.#unreadable = why;
    if (why !== undefined)
      log.error({ reason: "FreezeUnreadable", err: why }, "freezes cannot be read; nothing is rolled");
    else log.info({}, "freezes can be read again");
  }
}
