import type { AnswerHeaders, Exchange, ExchangeHandler, Transport, WireRequest } from "./transport.ts";

/** The sender is paused when the consumer is this far behind. */
const waitingBytesMax = 64 * 1024;

/** An answer whose body is read while it arrives. */
export interface StreamedAnswer {
  readonly statusCode: number;
  readonly headers: AnswerHeaders;
  /** Can be read once. Stopping before the end gives up the rest. */
  readonly body: AsyncIterable<Buffer>;
}

/** Sends a request, and resolves when the head of the answer has arrived. It, or its body, rejects when the signal is aborted. */
export function streamedAnswer(
  transport: Transport,
  request: WireRequest,
  signal: AbortSignal,
): Promise<StreamedAnswer> {
  const incoming = new IncomingBody(signal);
  if (signal.aborted) incoming.giveUp();
  else transport.dispatch(request, incoming);
  return incoming.head;
}

/** Undici's own body stream would be a Readable with a queue, a reader and their state for each watch. */
class IncomingBody implements ExchangeHandler, AsyncIterableIterator<Buffer> {
  readonly head: Promise<StreamedAnswer>;
  readonly #begun = Promise.withResolvers<StreamedAnswer>();
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.giveUp();
  #exchange: Exchange | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #reader: PromiseWithResolvers<IteratorResult<Buffer, undefined>> | undefined;
  #end: { readonly error?: unknown } | undefined;

  constructor(signal: AbortSignal) {
    this.head = this.#begun.promise;
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort);
  }

  giveUp(): void {
    this.#over({ error: this.#signal.reason });
    this.#exchange?.abort(new Error("stopped"));
  }

  onRequestStart(exchange: Exchange): void {
    this.#exchange = exchange;
    if (this.#end !== undefined) exchange.abort(new Error("stopped"));
  }

  onResponseStart(_exchange: Exchange, statusCode: number, headers: AnswerHeaders): void {
    // 100 to 199 announce that more will come.
    if (statusCode >= 200) this.#begun.resolve({ statusCode, headers, body: this });
  }

  onResponseData(exchange: Exchange, chunk: Buffer): void {
    if (this.#end !== undefined) return;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve({ value: chunk, done: false });
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > waitingBytesMax) exchange.pause();
  }

  onResponseEnd(): void {
    this.#over({});
  }

  onResponseError(_exchange: Exchange | undefined, error: Error): void {
    this.#over({ error });
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    const chunk = this.#waiting.shift();
    if (chunk !== undefined) {
      this.#waitingBytes -= chunk.length;
      if (this.#waiting.length === 0) this.#exchange?.resume();
      return { value: chunk, done: false };
    }
    if (this.#end === undefined) {
      this.#reader ??= Promise.withResolvers();
      return await this.#reader.promise;
    }
    if ("error" in this.#end) throw this.#end.error;
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#over({});
    this.#waiting = [];
    this.#exchange?.abort(new Error("no longer read"));
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #over(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#signal.removeEventListener("abort", this.#onAbort);
    const reader = this.#reader;
    this.#reader = undefined;
    if ("error" in end) {
      this.#begun.reject(end.error);
      reader?.reject(end.error);
    } else reader?.resolve({ value: undefined, done: true });
  }
}
