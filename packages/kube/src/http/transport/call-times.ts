import type { Clock } from "@fleet-reloader/engine/async/clock";

/** A call whose answer has not begun after this long has an unknown outcome: an API server answers nearly all within a second. */
export const callTimeoutMs = 10_000;
/** A page of large objects over a slow line takes a while; a server that sends a byte at a time must not take for ever. */
const wholeAnswerMs = 60_000;

/** The time of one call. */
export interface CallTime extends Pick<ServerWait, "brought"> {
  headCame(): void;
  ended(): void;
}

/** How long the calls of a connection may take, and since when they wait. */
export class CallTimes {
  /** For the head of the answer, including the wait for a connection. */
  readonly head: Deadlines;
  readonly #whole: Deadlines;
  readonly waits: ServerWaits;

  constructor(clock: Clock) {
    this.head = new Deadlines(callTimeoutMs, clock);
    this.#whole = new Deadlines(wholeAnswerMs, clock);
    this.waits = new ServerWaits(clock);
  }

  /** Starts the time of a call that is sent now. `onLate` is called when its head or its body is late. */
  begin(onLate: () => void): CallTime {
    const { brought, end } = this.waits.begin();
    let inTime = this.head.add(onLate);
    return {
      headCame: () => {
        inTime();
        inTime = this.#whole.add(onLate);
      },
      brought,
      ended: () => {
        inTime();
        end();
      },
    };
  }

  close(): void {
    this.head.close();
    this.#whole.close();
  }
}

interface Deadline {
  readonly dueMs: number;
  readonly expire: () => void;
}

/** How late a deadline may be noticed. Deadlines are seconds long, so this adds little. */
const sweepMs = 250;

/** Ends what takes too long. One timer serves all deadlines: a timer for each call would cost more than its answer. */
export class Deadlines {
  readonly #afterMs: number;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  /** All have the same length, so they are in the order of their ends. */
  readonly #waiting = new Set<Deadline>();
  #isSweeping = false;

  constructor(afterMs: number, clock: Clock) {
    this.#afterMs = afterMs;
    this.#clock = clock;
  }

  /** Calls `expire` when the time is over. The returned function cancels that. */
  add(expire: () => void): () => void {
    const waiting = { dueMs: this.#clock.monotonic() + this.#afterMs, expire };
    this.#waiting.add(waiting);
    if (!this.#isSweeping) void this.#sweep();
    return () => this.#waiting.delete(waiting);
  }

  close(): void {
    this.#closed.abort();
  }

  async #sweep(): Promise<void> {
    this.#isSweeping = true;
    while (this.#waiting.size > 0 && !this.#closed.signal.aborted) {
      await this.#clock.sleep(sweepMs, this.#closed.signal).catch(() => undefined);
      for (const waiting of this.#waiting) {
        if (waiting.dueMs > this.#clock.monotonic()) break;
        this.#waiting.delete(waiting);
        waiting.expire();
      }
    }
    this.#isSweeping = false;
  }
}

/** A call that waits. */
export interface ServerWait {
  /** This many bytes of its answer have arrived. */
  readonly brought: (bytes: number) => void;
  readonly end: () => void;
}

/** After this many bytes a long answer counts as making progress, and its wait starts again. A server that sends a byte now and then makes none. */
const progressBytes = 16 * 1024;

/** Since when calls wait for one cluster: for credentials, for the head of an answer, or for more of it. */
export class ServerWaits {
  readonly #clock: Clock;
  /** Monotonic, milliseconds; the oldest first. */
  readonly #sinceMs = new Map<ServerWait, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Monotonic: since when the oldest call waits. Undefined: none waits. */
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
