import type { GateReason } from "@fleet-reloader/domain/cluster/gate-reason";
import type { Clock } from "../async/clock.ts";
import type { ClusterId, Request } from "../ports/request.ts";

/** Each process determines on its own whether it reaches a cluster, so a worker may put a released request on hold again at once. */
const seenOtherwise: ReadonlySet<string> = new Set<GateReason>(["ClusterUnknown", "ClusterUnreachable"]);

/** Releases without a pause. A worker that has just started reaches its clusters within seconds; without work it would be stopped before that. */
const freeReleases = 10;
const firstRestMs = 2000;
/** The longest pause: workers that cannot reach a cluster get its requests once a minute. */
const longestRestMs = 60_000;
/** After this time without a release, or after the length of the last pause if that is longer, the throttle is reset. */
const throttleQuietMs = 15_000;

interface Released {
  readonly request: Request;
  readonly reason: string;
}

interface Throttled {
  /** The number of releases in a row. */
  readonly releases: number;
  readonly ms: number;
  readonly untilMs: number;
}

/**
 * Pauses between the releases of a cluster's holds. After some releases in a row each pause is twice as long as the one before. Without
 * it, the holds of a cluster that only the watcher reaches would be released and put back each second, and workers would stay up for
 * them.
 */
export class ReleaseThrottle {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #throttled = new Map<ClusterId, Throttled>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  isThrottled({ request, reason }: Released): boolean {
    const rest = this.#throttled.get(request.cluster);
    return seenOtherwise.has(reason) && rest !== undefined && this.#clock.monotonic() < rest.untilMs;
  }

  begin(released: readonly Released[]): void {
    const now = this.#clock.monotonic();
    for (const [cluster, { ms, untilMs }] of this.#throttled)
      if (now >= untilMs + Math.max(throttleQuietMs, ms)) this.#throttled.delete(cluster);
    const doubtful = released.filter(({ reason }) => seenOtherwise.has(reason));
    for (const cluster of new Set(doubtful.map(({ request }) => request.cluster))) {
      const releases = (this.#throttled.get(cluster)?.releases ?? 0) + 1;
      const beyond = releases - freeReleases;
      const ms = beyond <= 0 ? 0 : Math.min(longestRestMs, firstRestMs * 2 ** (beyond - 1));
      this.#throttled.set(cluster, { releases, ms, untilMs: now + ms });
    }
  }
}
