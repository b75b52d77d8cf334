import type { Clock } from "@fleet-reloader/engine/async/clock";

/** The callers who wait for one answer. */
interface Crowd<T> {
  askers: number;
  /** Aborted when no caller waits any more. */
  readonly left: AbortController;
  readonly answer: Promise<T>;
}

type MakeAnswer<T> = (signal: AbortSignal) => Promise<T>;

/** An answer begins when no caller has joined for this long. */
const gatherMs = 20;
/** After this long it begins even if more callers join. */
const gatherMostMs = 100;

/**
 * Answers one question once for all callers who ask it at about the same time: after news, every open page asks the same. An answer blocks the
 * process, so it waits a moment for more callers before it begins. Each caller gets an answer that began after they asked. An answer ends when
 * no caller waits for it any more.
 */
export class SharedAnswers<T> {
  readonly #clock: Pick<Clock, "sleep">;
  /** By question: the callers whose answer has not begun. */
  readonly #gathering = new Map<string, Crowd<T>>();
  /** By question: resolves when the answer that is being made has ended. */
  readonly #ends = new Map<string, Promise<void>>();

  constructor(clock: Pick<Clock, "sleep">) {
    this.#clock = clock;
  }

  async ask(question: string, make: MakeAnswer<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const crowd = this.#gathering.get(question) ?? this.#gather(question, make);
    crowd.askers += 1;
    const leave = () => {
      crowd.askers -= 1;
      if (crowd.askers > 0) return;
      this.#begun(question, crowd);
      crowd.left.abort();
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await crowd.answer;
    } finally {
      signal.removeEventListener("abort", leave);
      if (!signal.aborted) leave();
    }
  }

  #gather(question: string, make: MakeAnswer<T>): Crowd<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const crowd = { askers: 0, left: new AbortController(), answer: promise };
    this.#gathering.set(question, crowd);
    this.#answer(question, crowd, make).then(resolve, reject);
    return crowd;
  }

  async #answer(question: string, crowd: Crowd<T>, make: MakeAnswer<T>): Promise<T> {
    const { signal } = crowd.left;
    await this.#ends.get(question);
    for (let [waitedMs, before] = [0, -1]; crowd.askers !== before && waitedMs < gatherMostMs; ) {
      before = crowd.askers;
      await this.#clock.sleep(gatherMs, signal);
      waitedMs += gatherMs;
    }
    this.#begun(question, crowd);
    const { promise: end, resolve } = Promise.withResolvers<void>();
    this.#ends.set(question, end);
    try {
      return await make(signal);
    } finally {
      this.#ends.delete(question);
      resolve();
    }
  }

  /** From now on no caller joins these. */
  #begun(question: string, crowd: Crowd<T>): void {
    if (this.#gathering.get(question) === crowd) this.#gathering.delete(question);
  }
}
