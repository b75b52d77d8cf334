/** A signal of its own that is also aborted when one of its parents is. Dispose of it when the work is over, so that nothing of it stays. */
export interface LinkedAbort extends Disposable {
  readonly signal: AbortSignal;
  readonly abort: () => void;
}

/** The reason of an abort that nobody asks about: each abort without one makes an error with a stack, which takes 8 µs. */
export const endedReason = new DOMException("It is over.", "AbortError");

/**
 * Replaces `AbortSignal.any` where there are thousands of signals. That function notes every signal it depends on, weakly and both ways,
 * which took a sixth of the heap of a watched cluster. This one adds one listener to each parent.
 */
export function linkedAbort(...parents: readonly AbortSignal[]): LinkedAbort {
  const own = new AbortController();
  const follow = (): void => own.abort(parents.find(({ aborted }) => aborted)?.reason);
  for (const parent of parents) parent.addEventListener("abort", follow, { once: true });
  if (parents.some(({ aborted }) => aborted)) follow();
  return {
    signal: own.signal,
    abort: () => {
      own.abort(endedReason);
    },
    [Symbol.dispose]: () => {
      for (const parent of parents) parent.removeEventListener("abort", follow);
    },
  };
}
