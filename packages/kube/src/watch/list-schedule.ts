export interface ListTimings {
  /** Period of a full list while the watch works. A difference that it finds is a bug of the watch. */
  readonly relistEveryMs: number;
  /**
   * Time without a byte of a watch until the first list. The wait doubles with each list up to `relistEveryMs`: a collection whose watches
   * deliver nothing costs four more lists in the first half hour, and then only the periodic ones.
   */
  readonly silentMs: number;
}

/** Cluster probes are more frequent. A server that was away gets no extra lists when it is back, since its watches resume. */
const serverHeardMs = 60_000;

/** When to list a collection without a sign of a lost event. All times are monotonic. */
export class ListSchedule {
  readonly #timings: ListTimings;
  #listedAt = Number.NEGATIVE_INFINITY;
  /** When a watch delivered a byte last. */
  #deliveredAt = Number.NEGATIVE_INFINITY;
  #silentMs: number;

  constructor(timings: ListTimings) {
    this.#timings = timings;
    this.#silentMs = timings.silentMs;
  }

  listed(now: number): void {
    if (this.#deliveredAt < this.#listedAt)
      this.#silentMs = Math.min(this.#silentMs * 2, this.#timings.relistEveryMs);
    this.#listedAt = now;
  }

  delivered(now: number): void {
    this.#deliveredAt = now;
    this.#silentMs = this.#timings.silentMs;
  }

  /** Why a list is due; undefined: none is. `serverHeardAt` is the time of the server's last answer to any request. */
  due(now: number, serverHeardAt: number): string | undefined {
    if (now - this.#listedAt > this.#timings.relistEveryMs) return "periodic comparison";
    const isSilent = now - Math.max(this.#listedAt, this.#deliveredAt) > this.#silentMs;
    return isSilent && now - serverHeardAt < serverHeardMs ? "the watches deliver nothing" : undefined;
  }
}
