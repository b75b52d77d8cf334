/** One request as it goes over the wire. */
export interface WireRequest {
  readonly origin: string;
  readonly method: "GET" | "PATCH" | "POST" | "PUT" | "DELETE";
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds until the head of the answer has to be there, from when the request is sent. */
  readonly headersTimeout?: number;
  /** The most milliseconds between two parts of the body. */
  readonly bodyTimeout?: number;
}

/** A request that is under way. */
export interface Exchange {
  abort(reason: Error): void;
  /** No more of the body until `resume`: what has come already is handed on, the rest waits at the server. */
  pause(): void;
  resume(): void;
}

/** Headers as Node gives them: in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What becomes of a request, in this order; the last is one of `onResponseEnd` and `onResponseError`. */
export interface ExchangeHandler {
  /** It is sent now. Once more if a server that ends its connection has not looked at it. */
  onRequestStart(exchange: Exchange): void;
  onResponseStart(exchange: Exchange, statusCode: number, headers: AnswerHeaders): void;
  onResponseData(exchange: Exchange, chunk: Buffer): void;
  onResponseEnd(exchange: Exchange): void;
  /** Also when nothing was sent. */
  onResponseError(exchange: Exchange | undefined, error: Error): void;
}

/** Sends requests over connections of its own: undici's dispatchers are such, and `Http2Transport`. */
export interface Transport {
  dispatch(request: WireRequest, handler: ExchangeHandler): unknown;
  /** No new requests; what is under way ends in its own time. */
  close(): Promise<void>;
  /** Ends what is under way, too. */
  destroy(): Promise<void>;
}
