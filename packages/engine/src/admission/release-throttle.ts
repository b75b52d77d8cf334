import type { ParkReason } from "@fleet-reloader/domain/cluster/park-reason";
import type { Clock } from "../async/clock.ts";
import type { ClusterId, Request } from "../ports/request.ts";

/** Whether a cluster is reached is seen by each process for itself: a worker may hold again at once what was released for it. */
const seenOtherwise: ReadonlySet<string> = new Set<ParkReason>(["ClusterUnknown", "ClusterUnreachable"]);

/** A worker that has just begun reaches its clusters within seconds, and has to be asked until then: it would be stopped for want of work. */
const freeReleases = 10;
const firstRestMs = 2000;
/** One that cannot reach a cluster is asked for it once a minute. */
const longestRestMs = 60_000;
/** Quiet for so long, or for as long as the last rest: whatever it was is over. */
const quietMs = 15_000;

interface Released {
  readonly request: Request;
  readonly reason: string;
}

interface Throttled {
  /** How many releases came one after the other. */
  readonly releases: number;
  readonly ms: number;
  readonly untilMs: number;
}

/**
 * Rests between the releases of a cluster's holds: after some that came one after the other, twice as long each time. Without them a cluster
 * that the watcher reaches and no worker does would have its holds released and taken up again each second, and workers kept up for it.
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
      if (now >= untilMs + Math.max(quietMs, ms)) this.#throttled.delete(cluster);
    const doubtful = released.filter(({ reason }) => seenOtherwise.has(reason));
    for (const cluster of new Set(doubtful.map(({ request }) => request.cluster))) {
      const releases = (this.#throttled.get(cluster)?.releases ?? 0) + 1;
      const beyond = releases - freeReleases;
      const ms = beyond <= 0 ? 0 : Math.min(longestRestMs, firstRestMs * 2 ** (beyond - 1));
      this.#throttled.set(cluster, { releases, ms, untilMs: now + ms });
    }
  }
}
