import { Fault } from "@fleet-reloader/domain/fault";

/** A caller that waits for an answer. */
interface Asker<A, R> {
  readonly ask: A;
  readonly answer: PromiseWithResolvers<R>;
}

/** Sends questions of one place in one call, because their keys lie in one slot. Resolves to the answers in the order of the questions. */
export type SendTogether<A, R> = (place: string, asks: readonly A[]) => Promise<readonly R[]>;

/** This many questions in one call occupy Redis for a few milliseconds at most. */
const togetherMax = 32;

/**
 * Questions that come while a call is under way go together in the next call. A single question does not wait. A fan-out costs one call
 * for many rolls instead of one for each. All questions of a failed call fail.
 */
export class SharedCalls<A, R> {
  readonly #send: SendTogether<A, R>;
  /** The callers that wait for the next call, by place. A place without a call under way is absent. */
  readonly #waiting = new Map<string, Asker<A, R>[]>();

  constructor(send: SendTogether<A, R>) {
    this.#send = send;
  }

  ask(place: string, ask: A): Promise<R> {
    const asker: Asker<A, R> = { ask, answer: Promise.withResolvers<R>() };
    const waiting = this.#waiting.get(place);
    if (waiting === undefined) void this.#run(place, asker);
    else waiting.push(asker);
    return asker.answer.promise;
  }

  async #run(place: string, first: Asker<A, R>): Promise<void> {
    const waiting = [first];
    this.#waiting.set(place, waiting);
    while (waiting.length > 0) await this.#call(place, waiting.splice(0, togetherMax));
    // In the same turn as the check above, so the next question starts a new run.
    this.#waiting.delete(place);
  }

  async #call(place: string, askers: readonly Asker<A, R>[]): Promise<void> {
    try {
      const asks = askers.map(({ ask }) => ask);
      const answers = await this.#send(place, asks);
      for (const [at, { answer }] of askers.entries()) {
        const one = answers[at];
        if (one === undefined)
          answer.reject(new Fault("engine.invariant", "a shared call left a question unanswered"));
        else answer.resolve(one);
      }
    } catch (error) {
      for (const { answer } of askers) answer.reject(error);
    }
  }
}
