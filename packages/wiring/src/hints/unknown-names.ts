import type { Clock } from "@fleet-reloader/engine/async/clock";
import { RecentMap } from "@fleet-reloader/engine/async/recent-map";
import type { Log } from "@fleet-reloader/engine/ports/log";

interface UnknownName {
  /** Monotonic, like all times here. */
  readonly sinceMs: number;
  readonly seenMs: number;
  readonly warnedMs: number;
}

/** A cluster that is being engaged is unknown for some seconds. */
const unknownPatienceMs = 60_000;
/** Events that are not accepted come again within 89 s. After a longer silence another process may have received them. */
const unknownSilenceMs = 5 * 60_000;
const unknownEveryMs = 10 * 60_000;
const unknownNamesMax = 10_000;

/** Warns of names that credentials give to senders of audit events but that no cluster has, or several have. */
export class UnknownNames {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #names = new RecentMap<string, UnknownName>(unknownNamesMax);

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Events arrived for a name that leads to no engaged cluster. */
  unknown(name: string): void {
    const now = this.#clock.monotonic();
    const before = this.#names.get(name);
    const isNew = before === undefined || now - before.seenMs > unknownSilenceMs;
    const sinceMs = isNew ? now : before.sinceMs;
    const warnedMs = before?.warnedMs ?? Number.NEGATIVE_INFINITY;
    const isDue = now - sinceMs >= unknownPatienceMs && now - warnedMs >= unknownEveryMs;
    this.#names.set(name, { sinceMs, seenMs: now, warnedMs: isDue ? now : warnedMs });
    if (!isDue) return;
    this.#log.warn(
      { cluster: name },
      "audit events are not accepted: no cluster of this name is engaged, or several are. Compare it with the names of the clusters; it is in --audit-token-file, or the common name of the certificate",
    );
  }

  known(name: string): void {
    this.#names.delete(name);
  }
}
