import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "../async/clock.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { Log } from "../ports/log.ts";
import type { Meter } from "../ports/meter.ts";
import type { IndexSession } from "../ports/reference-index.ts";

export interface AdoptionWaitOptions {
  /** The name of the cluster in metrics. */
  readonly name: string;
  readonly session: Pick<IndexSession, "unreconciled">;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  readonly signal: AbortSignal;
}

const pollMs = 250;

/**
 * Waits until workers have reconciled all workloads that the first lists of a session showed as new or different. Until then only times
 * show whether one of their sources has changed. It waits once: workloads that come later do not delay readiness.
 */
export class AdoptionWait {
  readonly #options: AdoptionWaitOptions;
  #running: Promise<void> | undefined;
  #left: number | undefined;
  /** The largest count so far. It may be too small: workers begin while the lists go on. */
  #total = 0;
  #isOver = false;

  constructor(options: AdoptionWaitOptions) {
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The progress, for people. */
  get progress(): string {
    if (this.#left === undefined) return "workloads are not counted yet";
    return `${groupedDigits(this.#total - this.#left)} of ${groupedDigits(this.#total)} workloads observed`;
  }

  /** Begins to count. Call it when the streams are in sync. A second call does nothing. */
  begin(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when counting has ended; the signal has to be aborted for that. */
  async ended(): Promise<void> {
    await this.#running;
    this.#options.meter.workloadsUnreconciled(this.#options.name, undefined);
  }

  async #run(): Promise<void> {
    const { clock, log, signal } = this.#options;
    const beganAt = clock.monotonic();
    while (!signal.aborted) {
      await this.#count();
      if (this.#left === 0) {
        this.#isOver = true;
        const durationMs = Math.round(clock.monotonic() - beganAt);
        log.info({ count: this.#total, durationMs }, "workloads adopted");
        return;
      }
      await clock.sleep(pollMs, signal).catch(() => undefined);
    }
  }

  /** After a failure the last count stays, and the next poll counts again. */
  async #count(): Promise<void> {
    const { session, log, meter, name, signal } = this.#options;
    try {
      this.#left = await unlessAborted(session.unreconciled(), signal, "Redis");
      this.#total = Math.max(this.#total, this.#left);
      meter.workloadsUnreconciled(name, this.#left);
    } catch (error) {
      const fault = asFault(error);
      log.debug({ reason: fault.code, err: fault.message }, "workloads not counted");
    }
  }
}

/** `12,345`. `toLocaleString` would keep ICU's number formats in memory for the life of the process. */
function groupedDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
