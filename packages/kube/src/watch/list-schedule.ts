export interface ListTimings {
  /** Period of a full list while the watch works. A difference that it finds is a bug of the watch. */
  readonly relistEveryMs: number;
  /**
   * The first list without a byte of a watch. The wait doubles with each further one up to `relistEveryMs`: a collection whose watches
   * deliver nothing costs four lists more in the first half hour, and after that no more than the periodic ones.
   */
  readonly silentMs: number;
}

/** The probes of a cluster come more often. A server that is away gets no lists for it when it is back: its watches resume. */
const serverHeardMs = 60_000;

/** When a collection is listed although nothing says that an event is lost. All times are monotonic. */
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

  /** Why a list is due; undefined: none is. `serverHeardAt` is when the server answered last, whatever it was asked. */
  due(now: number, serverHeardAt: number): string | undefined {
    if (now - this.#listedAt > this.#timings.relistEveryMs) return "periodic comparison";
    const isSilent = now - Math.max(this.#listedAt, this.#deliveredAt) > this.#silentMs;
    return isSilent && now - serverHeardAt < serverHeardMs ? "the watches deliver nothing" : undefined;
  }
}
