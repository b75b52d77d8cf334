import type { Clock } from "@fleet-reloader/engine/async/clock";

/** Those who wait for one answer. */
interface Crowd<T> {
  askers: number;
  /** Aborted when nobody waits any more. */
  readonly left: AbortController;
  readonly answer: Promise<T>;
}

type MakeAnswer<T> = (signal: AbortSignal) => Promise<T>;

/** An answer begins when nobody has joined those who wait for it for so long. */
const gatherMs = 20;
/** It begins after this although more still come. */
const gatherMostMs = 100;

/**
 * Answers one question once for all who ask it at about the same time: after news, every page of a fleet asks the same. While an answer is made, this
 * process takes in no question, so it waits a moment for more of them before it begins. Each gets an answer that was begun after it asked. An answer
 * that nobody waits for any more ends.
 */
export class SharedAnswers<T> {
  readonly #clock: Pick<Clock, "sleep">;
  /** By question, those whose answer has not begun. */
  readonly #gathering = new Map<string, Crowd<T>>();
  /** By question, the end of the answer that is being made. */
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

  /** Nobody joins these any more. */
  #begun(question: string, crowd: Crowd<T>): void {
    if (this.#gathering.get(question) === crowd) this.#gathering.delete(question);
  }
}
