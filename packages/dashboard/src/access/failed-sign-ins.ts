import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { RecentMap } from "@fleet-reloader/engine/async/recent-map";

/** More than a person who mistypes needs. Nobody finds a token by trying: this limit protects the log and the processor. */
const failedSignInsMax = 10;
const windowMs = 60_000;
/** Addresses that are counted. More at once are not people. */
const addressesMax = 10_000;

/** Counts the recent failed sign-ins of each address. */
export class FailedSignIns {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #counts = new RecentMap<string, { readonly fromMs: number; readonly count: number }>(addressesMax);

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Whether too many have failed. Further ones are not logged. */
  areTooMany(address: string): boolean {
    return this.#recentOf(address).count >= failedSignInsMax;
  }

  /** Faults with `access.throttled` after too many failures. */
  assertMayTry(address: string): void {
    if (!this.areTooMany(address)) return;
    const mend = "wait a minute";
    throw new Fault(
      "access.throttled",
      `${failedSignInsMax} sign-ins from this address have failed; ${mend}`,
      {
        context: { mend },
        retryAfterMs: windowMs,
      },
    );
  }

  count(address: string): void {
    const { count, fromMs } = this.#recentOf(address);
    this.#counts.set(address, { fromMs, count: count + 1 });
  }

  #recentOf(address: string) {
    const nowMs = this.#clock.monotonic();
    const known = this.#counts.get(address);
    return known !== undefined && nowMs - known.fromMs < windowMs ? known : { fromMs: nowMs, count: 0 };
  }
}
