interface Slot<V> {
  /** Waits for the read under way to end, and then reads. */
  next: Promise<V> | undefined;
}

/**
 * Shares reads without giving up freshness: whoever asks gets the result of a read that began after the question. All who
 * ask while one read is under way share the next, so a thousand workloads of one source cost a handful of reads.
 */
export class SingleFlight<V> {
  readonly #slots = new Map<string, Slot<V>>();

  read(key: string, load: () => Promise<V>): Promise<V> {
    const slot = this.#slots.get(key);
    if (slot === undefined) return this.#begin(key, load);
    slot.next ??= new Promise((resolve, reject) => {
      this.#afterwards.set(slot, () => this.#begin(key, load).then(resolve, reject));
    });
    return slot.next;
  }

  readonly #afterwards = new Map<Slot<V>, () => Promise<void>>();

  #begin(key: string, load: () => Promise<V>): Promise<V> {
    const slot: Slot<V> = { next: undefined };
    this.#slots.set(key, slot);
    // Inside an async function, so that a load that throws at once ends its slot like any other.
    const loading = (async () => await load())();
    return loading.finally(() => {
      this.#slots.delete(key);
      const continueWith = this.#afterwards.get(slot);
      this.#afterwards.delete(slot);
      void continueWith?.();
    });
  }
}
