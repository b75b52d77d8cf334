import { Fault } from "@fleet-reloader/domain/fault";
import type { CallTimes } from "./call-times.ts";
import type { AnswerHeaders, Transport, WireRequest } from "./transport.ts";

/** An answer whose head has arrived. Its body may still be arriving. */
export interface WholeAnswer {
  readonly statusCode: number;
  readonly headers: AnswerHeaders;
  readonly text: Promise<string>;
}

export interface AnswerLimits {
  readonly signal: AbortSignal;
  readonly times?: CallTimes;
  readonly bytesMax?: number;
}

/**
 * Normal pages have a hundredth of this. Only a page of the largest objects that etcd accepts by default (200 of 1.5 MiB) would have more. A
 * hostile cluster must not fill the memory that all the others need.
 */
const bytesMaxDefault = 64 * 1024 * 1024;

/**
 * Sends a request and collects its answer. Undici's own `request` makes a stream of every body. That doubles the cost of a call, and our
 * bodies are read as a whole anyway.
 */
export function wholeAnswer(
  transport: Transport,
  request: WireRequest,
  { signal, times, bytesMax = bytesMaxDefault }: AnswerLimits,
): Promise<WholeAnswer> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const head = Promise.withResolvers<WholeAnswer>();
  const text = Promise.withResolvers<string>();
  // Nobody awaits the text before the head has arrived.
  text.promise.catch(() => undefined);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let abort = (_reason: unknown): void => undefined;
  let failure: unknown;
  const ended = (): void => {
    time?.ended();
    signal.removeEventListener("abort", onAbort);
  };
  const fail = (error: unknown): void => {
    failure = error;
    ended();
    head.reject(error);
    text.reject(error);
  };
  const giveUp = (reason: unknown): void => {
    fail(reason);
    abort(reason);
  };
  // A request that still waits for a connection is also given up, so that its caller does not wait with it.
  const onAbort = (): void => giveUp(signal.reason);
  signal.addEventListener("abort", onAbort);
  const time = times?.begin(() => giveUp(new Error("no answer in time")));
  transport.dispatch(request, {
    onRequestStart(exchange) {
      abort = (reason) => exchange.abort(reason instanceof Error ? reason : new Error("stopped"));
      if (failure !== undefined) abort(failure);
    },
    onResponseStart(_exchange, statusCode, headers) {
      if (statusCode < 200) return;
      time?.headCame();
      head.resolve({ statusCode, headers, text: text.promise });
    },
    onResponseData(_exchange, chunk) {
      bytes += chunk.length;
      time?.brought(chunk.length);
      if (bytes <= bytesMax) chunks.push(chunk);
      else if (failure === undefined) giveUp(tooLong(request, bytesMax));
    },
    onResponseEnd() {
      ended();
      text.resolve(joinedText(chunks));
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

function joinedText(chunks: readonly Buffer[]): string {
  const [only, ...others] = chunks;
  if (only === undefined) return "";
  return (others.length === 0 ? only : Buffer.concat(chunks)).toString("utf8");
}
