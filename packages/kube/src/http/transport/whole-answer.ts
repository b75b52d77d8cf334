import { Fault } from "@fleet-reloader/domain/fault";
import type { Deadlines } from "../deadlines.ts";
import type { AnswerHeaders, Transport, WireRequest } from "./transport.ts";

/** An answer whose head has come, and whose body is on its way. */
export interface WholeAnswer {
  readonly statusCode: number;
  readonly headers: AnswerHeaders;
  readonly text: Promise<string>;
}

export interface AnswerLimits {
  readonly signal: AbortSignal;
  /** For the head of the answer, the wait for a connection included, and then for the rest of it. */
  readonly deadlines?: { readonly head: Deadlines; readonly whole: Deadlines };
  readonly bytesMax?: number;
}

/**
 * A page of the largest objects that etcd takes by default (200 of 1.5 MiB) would be more, one of objects as they are has a
 * hundredth. A cluster that is not what it says must not fill the memory that all the others need.
 */
const bytesMaxDefault = 64 * 1024 * 1024;

/**
 * Sends a request and gathers its answer. Undici's own `request` makes a stream of every body, which costs as much again as
 * the rest of a call; ours are read as a whole anyway.
 */
export function wholeAnswer(
  transport: Transport,
  request: WireRequest,
  { signal, deadlines, bytesMax = bytesMaxDefault }: AnswerLimits,
): Promise<WholeAnswer> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const head = Promise.withResolvers<WholeAnswer>();
  const text = Promise.withResolvers<string>();
  // Nobody waits for it before the head has come.
  text.promise.catch(() => undefined);
  const chunks: Buffer[] = [];
  let bytes = 0;
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
  const giveUp = (reason: unknown): void => {
    fail(reason);
    abort(reason);
  };
  // Also while the request still waits for a connection: whoever asked must not wait with it.
  const onAbort = (): void => giveUp(signal.reason);
  signal.addEventListener("abort", onAbort);
  const onLate = (): void => giveUp(new Error("no answer in time"));
  inTime = deadlines?.head.add(onLate) ?? inTime;
  transport.dispatch(request, {
    onRequestStart(exchange) {
      abort = (reason) => exchange.abort(reason instanceof Error ? reason : new Error("stopped"));
      if (failure !== undefined) abort(failure);
    },
    onResponseStart(_exchange, statusCode, headers) {
      if (statusCode < 200) return;
      inTime();
      inTime = deadlines?.whole.add(onLate) ?? inTime;
      head.resolve({ statusCode, headers, text: text.promise });
    },
    onResponseData(_exchange, chunk) {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else if (failure === undefined) giveUp(tooLong(request, bytesMax));
    },
    onResponseEnd() {
      inTime();
      signal.removeEventListener("abort", onAbort);
      text.resolve(textOf(chunks));
    },
    onResponseError(_exchange, error) {
      fail(error);
    },
  });
  return head.promise;
}

function tooLong({ method, path }: WireRequest, bytesMax: number): Fault {
  const where = `${method} ${path.split("?")[0]}`;
  return new Fault(
    "kube.malformed",
    `${where} was answered with more than ${bytesMax} bytes; it is not read`,
  );
}

function textOf(chunks: readonly Buffer[]): string {
  const [only, ...others] = chunks;
  if (only === undefined) return "";
  return (others.length === 0 ? only : Buffer.concat(chunks)).toString("utf8");
}
