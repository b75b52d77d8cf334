/** One request as it goes over the wire. */
export interface WireRequest {
  readonly origin: string;
  readonly method: "GET" | "PATCH" | "POST" | "PUT" | "DELETE";
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds from sending the request until the head of the answer must have arrived. */
  readonly headersTimeout?: number;
  /** Maximum milliseconds between two parts of the body. */
  readonly bodyTimeout?: number;
}

/** A request that is under way. */
export interface Exchange {
  abort(reason: Error): void;
  /** Stops the body until `resume`: parts that have arrived are still handed on, the rest waits at the server. */
  pause(): void;
  resume(): void;
}

/** Headers as Node gives them, with lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The stages of a request, in this order; the last is either `onResponseEnd` or `onResponseError`. */
export interface ExchangeHandler {
  /** The request is sent now. Called again if a server that ends its connection has not processed it. */
  onRequestStart(exchange: Exchange): void;
  onResponseStart(exchange: Exchange, statusCode: number, headers: AnswerHeaders): void;
  onResponseData(exchange: Exchange, chunk: Buffer): void;
  onResponseEnd(exchange: Exchange): void;
  /** Also called when nothing was sent. */
  onResponseError(exchange: Exchange | undefined, error: Error): void;
}

/** Sends requests over connections of its own. Undici's dispatchers implement it, and so does `Http2Transport`. */
export interface Transport {
  dispatch(request: WireRequest, handler: ExchangeHandler): unknown;
  /** Accepts no new requests; those under way finish on their own. */
  close(): Promise<void>;
  /** Also ends requests under way. */
  destroy(): Promise<void>;
}
