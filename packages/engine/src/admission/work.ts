/** The numbers of requests for workers to handle. Autoscalers start and stop workers by them. */
export interface Work {
  /** The requests that workers have to be up for: the sum of the others without those on hold. */
  readonly work: number;
  /** Due and not taken up yet. */
  readonly waiting: number;
  /** Due and not taken up yet, of clusters that have asked for more than their share. */
  readonly prioritized: number;
  /** Being handled, or lost with a worker that was killed: only another worker puts these back. */
  readonly active: number;
  /** Waiting for a time within the horizon. A worker has to be up by then: only a worker makes a request due. */
  readonly due: number;
  /** The number of `due` requests that are on hold: no worker has to be up for them. */
  readonly held: number;
}

export function workOf(counts: Omit<Work, "work">): Work {
  const { waiting, prioritized, active, due, held } = counts;
  // A hold is stored a moment before its request is put back.
  return { work: waiting + prioritized + active + Math.max(0, due - held), ...counts };
}
