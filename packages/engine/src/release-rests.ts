import type { ParkReason } from "@fleet-reloader/domain/cluster/park-reason";
import type { Clock } from "./clock.ts";
import type { ClusterId, Request } from "./request.ts";

/** Whether a cluster is reached is seen by each process for itself: a worker may hold again at once what was released for it. */
const seenOtherwise: ReadonlySet<string> = new Set<ParkReason>(["ClusterUnknown", "ClusterUnreachable"]);

/** A worker that has just begun reaches its clusters within seconds; one that cannot is asked for it once a minute. */
const firstRestMs = 2000;
const longestRestMs = 60_000;

interface Released {
  readonly request: Request;
  readonly reason: string;
}

interface Rest {
  readonly ms: number;
  readonly untilMs: number;
}

/**
 * Rests between the releases of a cluster's holds, twice as long each time they come one after the other. Without them a cluster that
 * the watcher reaches and no worker does would have its holds released and taken up again each second, and workers kept up for it.
 */
export class ReleaseRests {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #rests = new Map<ClusterId, Rest>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  isResting({ request, reason }: Released): boolean {
    const rest = this.#rests.get(request.cluster);
    return seenOtherwise.has(reason) && rest !== undefined && this.#clock.monotonic() < rest.untilMs;
  }

  begin(released: readonly Released[]): void {
    const now = this.#clock.monotonic();
    // Quiet for as long again: whatever it was is over.
    for (const [cluster, { ms, untilMs }] of this.#rests)
      if (now >= untilMs + ms) this.#rests.delete(cluster);
    const doubtful = released.filter(({ reason }) => seenOtherwise.has(reason));
    for (const cluster of new Set(doubtful.map(({ request }) => request.cluster))) {
      const before = this.#rests.get(cluster);
      const ms = before === undefined ? firstRestMs : Math.min(longestRestMs, 2 * before.ms);
      this.#rests.set(cluster, { ms, untilMs: now + ms });
    }
  }
}
