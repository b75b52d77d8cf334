import type { Clock } from "../async/clock.ts";
import { RecentMap } from "../async/recent-map.ts";
import { type Request, requestKey } from "../ports/request.ts";
import type { RollHold } from "./brakes.ts";

/** The number of holds that are remembered, some 200 bytes each. A hold that is forgotten while it lasts is reported once more. */
const rememberedMax = 100_000;
/** A hold that lasts is reported again: an API server forgets its Events after an hour. */
const reportAgainMs = 30 * 60_000;
/** Rollouts that end make room. If the same rollouts leave no room for this long, a person has to check them. */
const stuckAfterMs = 60_000;
/** While a hold lasts, some worker asks about it at least this often. After a longer pause it is not known whether it lasted. */
const askedWithinMs = 6 * 60_000;

/** A hold as it was reported, and since when the same rollouts have been its reason. */
interface ReportedHold {
  readonly what: string;
  readonly atMs: number;
  readonly details: string | undefined;
  readonly sinceMs: number;
  readonly askedMs: number;
  readonly isStuck: boolean;
}

/** Decides which holds are news: a workload on hold is asked about every few seconds, and people want to read of it once. */
export class HoldNews {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #reported = new RecentMap<string, ReportedHold>(rememberedMax);

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** The workload of this request is no longer on hold. */
  forget(request: Request): void {
    this.#reported.delete(requestKey(request));
  }

  /** Undefined: the hold was reported before and has not changed. */
  of(request: Request, { reason, why, details }: RollHold): "begins" | "stuck" | undefined {
    const key = requestKey(request);
    const nowMs = this.#clock.monotonic();
    const what = `${reason} ${why}`;
    const before = this.#reported.get(key);
    if (before?.what !== what || nowMs - before.atMs >= reportAgainMs) {
      const since = { sinceMs: nowMs, askedMs: nowMs };
      this.#reported.set(key, { what, atMs: nowMs, details, ...since, isStuck: false });
      return "begins";
    }
    const isSame = before.details === details && nowMs - before.askedMs <= askedWithinMs;
    const sinceMs = isSame ? before.sinceMs : nowMs;
    const isStuck = details !== undefined && nowMs - sinceMs >= stuckAfterMs;
    const told = { ...before, details, sinceMs, askedMs: nowMs, isStuck: isStuck || before.isStuck };
    this.#reported.set(key, told);
    return isStuck && !before.isStuck ? "stuck" : undefined;
  }
}
