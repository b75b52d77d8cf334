/** How much there is for workers to do: what scales them from zero and back. Numbers of requests. */
export interface Work {
  /** All that workers should be up for: the others summed up, without what is held. */
  readonly work: number;
  /** Due, and not taken up yet. */
  readonly waiting: number;
  /** The same, of clusters that have asked for more than their share. */
  readonly prioritized: number;
  /** Handled now, or lost by a worker that was killed: only a worker brings these back. */
  readonly active: number;
  /** Waits for its time, which comes within the horizon: a worker has to be there by then, since only a worker makes it due. */
  readonly due: number;
  /** Of `due`: held, so that no worker is to be up for it. */
  readonly held: number;
}

export function workOf(counts: Omit<Work, "work">): Work {
  const { waiting, prioritized, active, due, held } = counts;
  // A hold is noted a moment before its request is put back.
  return { work: waiting + prioritized + active + Math.max(0, due - held), ...counts };
}
