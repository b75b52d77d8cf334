/** How much of the queue one flow may take before others, and how fast its backlog shrinks. */
export interface Share {
  /** Requests in a rank. */
  readonly size: number;
  /** Requests a second that a flow may make all the time without losing rank. */
  readonly perSecond: number;
}

/**
 * A rank has as many requests as a worker handles at once by default. Fewer would send every small burst the slower way through the queue.
 * kube-controller-manager allows itself 20 requests a second to one API server (its --kube-api-qps): a cluster with more changes than that is in
 * a storm.
 */
export const defaultShare: Share = { size: 32, perSecond: 20 };

/** The requests of a flow, such as the changes of one cluster, that still count against it. Milliseconds of one clock. */
export interface Backlog {
  readonly requests: number;
  readonly at: number;
}

/** The backlog at a later time. A clock that went back reduces nothing. */
export function forgive(backlog: Backlog | undefined, now: number, share: Share = defaultShare): Backlog {
  if (backlog === undefined) return { requests: 0, at: now };
  const seconds = Math.max(0, now - backlog.at) / 1000;
  return {
    requests: Math.max(0, backlog.requests - seconds * share.perSecond),
    at: Math.max(now, backlog.at),
  };
}

/**
 * The rank of each of `count` further requests of a flow, and the backlog after them. Lower ranks are handled first. The requests of a quiet
 * flow have rank 0 and overtake the tail of a storm. Two storms take turns, one share each.
 *
 * The backlog is an estimate. Reading what really waits in the queue would cost a round trip for each change, and a wrong rank changes only the
 * order.
 */
export function takeRanks(
  backlog: Backlog | undefined,
  {
    count,
    now,
    share = defaultShare,
  }: { readonly count: number; readonly now: number; readonly share?: Share },
): { readonly backlog: Backlog; readonly ranks: readonly number[] } {
  const before = forgive(backlog, now, share);
  const ranks = Array.from({ length: count }, (_, i) => Math.floor((before.requests + i) / share.size));
  return { backlog: { requests: before.requests + count, at: before.at }, ranks };
}
