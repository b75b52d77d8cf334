/** How much of the queue one flow may have before others, and how fast what it had is forgiven. */
export interface Share {
  /** Requests in a rank. */
  readonly size: number;
  /** Requests a second that a flow may ask for all the time without losing rank. */
  readonly perSecond: number;
}

/**
 * A rank is what a worker handles at once by default: less would cost every small burst the slower way through the queue.
 * 20 a second is what kube-controller-manager allows itself towards one API server (its --kube-api-qps): a cluster with more
 * than that is in a storm.
 */
export const defaultShare: Share = { size: 32, perSecond: 20 };

/** What a flow, such as the changes of one cluster, has asked for and not been forgiven. Milliseconds of one clock. */
export interface Backlog {
  readonly requests: number;
  readonly at: number;
}

/** The backlog as it is at a later time. A clock that went back forgives nothing. */
export function forgive(backlog: Backlog | undefined, now: number, share: Share = defaultShare): Backlog {
  if (backlog === undefined) return { requests: 0, at: now };
  const seconds = Math.max(0, now - backlog.at) / 1000;
  return {
    requests: Math.max(0, backlog.requests - seconds * share.perSecond),
    at: Math.max(now, backlog.at),
  };
}

/**
 * The rank of each of `count` further requests of a flow, and its backlog with them. Lower ranks are handled first: what a
 * quiet flow asks for has rank 0 and overtakes the tail of a storm; two storms take turns, a share each.
 *
 * The backlog is virtual. What really waits in the queue is not asked for: that would cost a question for each change, and a
 * wrong rank changes only the order.
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
