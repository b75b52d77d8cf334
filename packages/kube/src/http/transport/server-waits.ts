import type { Clock } from "@fleet-reloader/engine/async/clock";

/** A call that waits. */
export interface ServerWait {
  /** So many bytes of its answer have come. */
  readonly brought: (bytes: number) => void;
  readonly end: () => void;
}

/** After so many bytes a long answer makes progress, and its wait begins anew. A server that sends a byte now and then makes none. */
const progressBytes = 16 * 1024;

/** Since when calls wait for one cluster: for credentials, for the head of an answer, or for more of it. */
export class ServerWaits {
  readonly #clock: Clock;
  /** Monotonic, milliseconds; the oldest first. */
  readonly #sinceMs = new Map<ServerWait, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Monotonic: since when the oldest waits. Undefined: nothing does. */
  get oldestSinceMs(): number | undefined {
    const [oldest] = this.#sinceMs.values();
    return oldest;
  }

  begin(): ServerWait {
    let bytesNow = 0;
    const wait: ServerWait = {
      brought: (bytes) => {
        bytesNow += bytes;
        if (bytesNow < progressBytes || !this.#sinceMs.delete(wait)) return;
        bytesNow = 0;
        this.#sinceMs.set(wait, this.#clock.monotonic());
      },
      end: () => {
        this.#sinceMs.delete(wait);
      },
    };
    this.#sinceMs.set(wait, this.#clock.monotonic());
    return wait;
  }

  async during<T>(work: Promise<T>): Promise<T> {
    const wait = this.begin();
    try {
      return await work;
    } finally {
      wait.end();
    }
  }
}
