import type { Dispatcher } from "undici";
import type { Deadlines } from "./deadlines.ts";

/** An answer whose head has come, and whose body is on its way. */
export interface WholeAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: Promise<string>;
}

export interface AnswerLimits {
  readonly signal: AbortSignal;
  /** For the head of the answer, the wait for a connection included, and then for the rest of it. */
  readonly deadlines?: { readonly head: Deadlines; readonly whole: Deadlines };
}

/**
 * Sends a request and gathers its answer. Undici's own `request` makes a stream of every body, which costs as much again as
 * the rest of a call; ours are read as a whole anyway.
 */
export function wholeAnswer(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { signal, deadlines }: AnswerLimits,
): Promise<WholeAnswer> {
  const head = Promise.withResolvers<WholeAnswer>();
  const text = Promise.withResolvers<string>();
  // Nobody waits for it before the head has come.
  text.promise.catch(() => undefined);
  const chunks: Buffer[] = [];
  let abort = (_reason: unknown): void => undefined;
  let failure: unknown;
  let inTime = (): void => undefined;
  const fail = (error: unknown): void => {
    failure = error;
    inTime();
    signal.removeEventListener("abort", onAbort);
    head.reject(error);
    text.reject(error);
  };
  // Also while the request still waits for a connection: whoever asked must not wait with it.
  const onAbort = (): void => {
    fail(signal.reason);
    abort(signal.reason);
  };
  if (signal.aborted) {
    fail(signal.reason);
    return head.promise;
  }
  signal.addEventListener("abort", onAbort);
  const onLate = (): void => {
    const late = new Error("no answer in time");
    fail(late);
    abort(late);
  };
  inTime = deadlines?.head.add(onLate) ?? inTime;
  dispatcher.dispatch(options, {
    onRequestStart(controller) {
      abort = (reason) => controller.abort(reason instanceof Error ? reason : new Error("stopped"));
      if (failure !== undefined) abort(failure);
    },
    onResponseStart(_controller, statusCode, headers) {
      if (statusCode < 200) return;
      inTime();
      inTime = deadlines?.whole.add(onLate) ?? inTime;
      head.resolve({ statusCode, headers, text: text.promise });
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
    },
    onResponseEnd() {
      inTime();
      signal.removeEventListener("abort", onAbort);
      text.resolve(textOf(chunks));
    },
    onResponseError(_controller, error) {
      fail(error);
    },
  });
  return head.promise;
}

function textOf(chunks: readonly Buffer[]): string {
  const [only, ...others] = chunks;
  if (only === undefined) return "";
  return (others.length === 0 ? only : Buffer.concat(chunks)).toString("utf8");
}
