import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { errors } from "undici";
import type { Exchange, ExchangeHandler, WireRequest } from "./transport.ts";

/** Go's servers allow 250 and more; a proxy may allow fewer, and says so. */
const streamsMax = 100;

/** One HTTP/2 connection and its requests under way. */
export class Http2Session {
  readonly #client: ClientHttp2Session;
  readonly #idleMs: number;
  #room = streamsMax;
  #open = 0;
  /** How many parts of answers have arrived, for all requests. */
  #received = 0;
  /** A request reached its time limit without an answer, and nothing arrived for any other meanwhile. */
  #isSilent = false;

  constructor(client: ClientHttp2Session, idleMs: number) {
    this.#client = client;
    this.#idleMs = idleMs;
    client.on("remoteSettings", ({ maxConcurrentStreams = streamsMax }) => {
      this.#room = Math.min(streamsMax, maxConcurrentStreams);
    });
    // The end of their streams informs the requests under way.
    client.on("error", () => undefined);
    client.on("timeout", () => {
      if (this.#open === 0) client.close();
    });
  }

  /** Whether it takes another request. It takes none when the server is ending it, or when it may be dead. */
  get hasRoom(): boolean {
    return !this.#isSilent && this.#open < this.#room && !this.#client.closed && !this.#client.destroyed;
  }

  close(): void {
    this.#client.close();
  }

  destroy(): void {
    this.#client.destroy();
  }

  /** Calls `onRefused` instead of failing when the server has certainly not processed the request (RFC 9113, 8.7). */
  send(request: WireRequest, handler: ExchangeHandler, onRefused: (() => void) | undefined): void {
    let stream: ClientHttp2Stream;
    try {
      stream = this.#begin(request);
    } catch (error) {
      handler.onResponseError(undefined, error instanceof Error ? error : new Error("not sent"));
      return;
    }
    this.#open += 1;
    if (this.#open === 1) this.#client.setTimeout(0);
    stream.once("close", () => {
      this.#open -= 1;
      if (this.#open > 0) return;
      // A dead connection would never confirm an orderly end.
      if (this.#isSilent) this.#client.destroy();
      else this.#client.setTimeout(this.#idleMs);
    });
    this.#noteSilence(stream);
    new Http2Exchange(stream, request, handler, onRefused).begin();
  }

  /**
   * A balancer may keep a connection open whose backend hangs, while calls over other connections are answered. So the next request uses another
   * connection. Requests under way keep their own time limits, since a quiet server looks like a dead one.
   */
  #noteSilence(stream: ClientHttp2Stream): void {
    let before = this.#received;
    const receive = (): void => {
      this.#received += 1;
      before = this.#received;
    };
    stream.once("response", receive).on("data", receive);
    stream.once("timeout", () => {
      this.#isSilent ||= this.#received === before;
    });
  }

  #begin({ method, path, headers, body }: WireRequest): ClientHttp2Stream {
    const stream = this.#client.request(
      { ":method": method, ":path": path, ...headers },
      { endStream: body === undefined },
    );
    return body === undefined ? stream : stream.end(body);
  }
}

/** One request and its answer: a stream of HTTP/2. */
class Http2Exchange implements Exchange {
  readonly #stream: ClientHttp2Stream;
  readonly #request: WireRequest;
  readonly #handler: ExchangeHandler;
  readonly #onRefused: (() => void) | undefined;
  #hasHead = false;
  #isOver = false;

  constructor(
    stream: ClientHttp2Stream,
    request: WireRequest,
    handler: ExchangeHandler,
    onRefused: (() => void) | undefined,
  ) {
    this.#stream = stream;
    this.#request = request;
    this.#handler = handler;
    this.#onRefused = onRefused;
  }

  begin(): void {
    const stream = this.#stream;
    const handler = this.#handler;
    const { headersTimeout = 0, bodyTimeout = 0 } = this.#request;
    stream.once("timeout", () => this.#timedOut());
    stream.setTimeout(headersTimeout);
    stream.once("response", ({ ":status": status = 0, ...headers }) => {
      if (this.#isOver) return;
      this.#hasHead = true;
      stream.setTimeout(bodyTimeout);
      handler.onResponseStart(this, status, headers);
    });
    stream.on("data", (chunk: Buffer) => {
      if (!this.#isOver) handler.onResponseData(this, chunk);
    });
    stream.once("error", (error) => this.#fail(error));
    stream.once("close", () => this.#closed());
    handler.onRequestStart(this);
  }

  abort(reason: Error): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
    // Unread data keeps a stream from closing.
    this.#stream.resume();
    this.#fail(reason);
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  #timedOut(): void {
    this.abort(this.#hasHead ? new errors.BodyTimeoutError() : new errors.HeadersTimeoutError());
  }

  /** Only now is it known whether the answer is complete: a stream that is reset also ends. */
  #closed(): void {
    const { rstCode = constants.NGHTTP2_NO_ERROR } = this.#stream;
    if (!this.#hasHead || rstCode !== constants.NGHTTP2_NO_ERROR)
      this.#fail(new errors.SocketError(`the server ended the stream (${rstCode})`));
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onResponseEnd(this);
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const isRefused = !this.#hasHead && this.#stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
    if (isRefused && this.#onRefused !== undefined) this.#onRefused();
    else this.#handler.onResponseError(this, error);
  }
}
