import { connect as connectHttp2 } from "node:http2";
import { isIP } from "node:net";
import { type ConnectionOptions, connect as connectTls, type SecureContext, type TLSSocket } from "node:tls";
import { errors } from "undici";
import { Http2Session } from "./http2-session.ts";
import type { ExchangeHandler, Transport, WireRequest } from "./transport.ts";

export interface Http2Options {
  readonly origin: URL;
  readonly tls: {
    readonly secureContext: SecureContext;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  readonly connectTimeoutMs: number;
  /** A connection without a request is kept this long. */
  readonly idleMs: number;
  /** Creates the transport for a server without HTTP/2, starting with the connection that showed it. */
  readonly plain: (first: TLSSocket) => Transport;
}

/** After this long without a byte the system checks whether the other end still exists, as in Go's HTTP client. */
export const keepAliveMs = 30_000;
/** How much a server may send ahead, per answer and per connection: a page of a list arrives in a few round trips. */
const streamWindow = 256 * 1024;
const connectionWindow = 1024 * 1024;

/**
 * Requests to one API server over HTTP/2, over as few connections as hold them, mostly one. Undici's client does the same for any server, but with
 * the buffers, queues and streams that it keeps for each, a watched cluster took a third more memory.
 */
export class Http2Transport implements Transport {
  readonly #options: Http2Options;
  #sessions: readonly Http2Session[] = [];
  #connecting: Promise<void> | undefined;
  #socket: TLSSocket | undefined;
  #plain: Transport | undefined;
  #isClosed = false;

  constructor(options: Http2Options) {
    this.#options = options;
  }

  dispatch(request: WireRequest, handler: ExchangeHandler): void {
    this.#send(request, handler, () => this.#send(request, handler));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const session of this.#sessions) session.close();
    await this.#plain?.close();
  }

  async destroy(): Promise<void> {
    this.#isClosed = true;
    this.#socket?.destroy(new errors.ClientDestroyedError());
    for (const session of this.#sessions) session.destroy();
    await this.#plain?.destroy();
  }

  #send(request: WireRequest, handler: ExchangeHandler, onRefused?: () => void): void {
    const way = this.#plain ?? this.#sessions.find((session) => session.hasRoom);
    if (way instanceof Http2Session) way.send(request, handler, onRefused);
    else if (way !== undefined) way.dispatch(request, handler);
    else if (this.#isClosed) handler.onResponseError(undefined, new errors.ClientClosedError());
    else
      this.#connected().then(
        () => this.#send(request, handler, onRefused),
        (error: Error) => handler.onResponseError(undefined, error),
      );
  }

  /** All requests that need a new connection wait for the same one. */
  #connected(): Promise<void> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
      this.#socket = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<void> {
    const socket = await this.#open();
    if (this.#isClosed) {
      socket.destroy();
      throw new errors.ClientClosedError();
    }
    if (socket.alpnProtocol !== "h2") {
      this.#plain = this.#options.plain(socket);
      return;
    }
    this.#addSession(socket);
  }

  #addSession(socket: TLSSocket): void {
    const { origin, idleMs } = this.#options;
    const client = connectHttp2(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindow },
    });
    client.once("connect", () => client.setLocalWindowSize(connectionWindow));
    const session = new Http2Session(client, idleMs);
    this.#sessions = [...this.#sessions, session];
    client.once("close", () => {
      this.#sessions = this.#sessions.filter((one) => one !== session);
    });
  }

  #open(): Promise<TLSSocket> {
    const { connectTimeoutMs } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
    const socket = connectTls(this.#address());
    this.#socket = socket;
    socket.setKeepAlive(true, keepAliveMs);
    socket.setTimeout(connectTimeoutMs, () => {
      socket.destroy(new errors.ConnectTimeoutError(`no connection within ${connectTimeoutMs / 1000} s`));
    });
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      socket.setTimeout(0);
      socket.off("error", reject);
      resolve(socket);
    });
    return promise;
  }

  #address(): ConnectionOptions {
    const { origin, tls } = this.#options;
    const host = origin.hostname.replace(/^\[|\]$/g, "");
    return {
      // TLS sends the name of a server, never its IP address.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...tls,
      host,
      port: origin.port === "" ? 443 : Number(origin.port),
      ALPNProtocols: ["h2", "http/1.1"],
    };
  }
}
