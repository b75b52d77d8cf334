import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/clock";
import { type Dispatcher, Pool, ProxyAgent } from "undici";
import { Credentials, type Identity } from "./credentials.ts";
import { text } from "./json.ts";
import type { ClusterTarget } from "./kubeconfig.ts";
import { type CallContext, isSilence, statusFault, transportFault } from "./to-fault.ts";
import { wholeAnswer } from "./whole-answer.ts";

export interface Call {
  readonly method: "GET" | "PATCH" | "POST" | "PUT" | "DELETE";
  /** Path with query. */
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One request as it went, for metrics. */
export interface CallRecord {
  readonly method: string;
  readonly host: string;
  /** The status, or `<error>`. */
  readonly code: string;
  /** Undefined for a stream: it has no end to measure to. */
  readonly seconds: number | undefined;
}

export interface ConnectionOptions {
  readonly target: ClusterTarget;
  readonly clock: Clock;
  readonly userAgent: string;
  /** Connections for short calls; each carries one request at a time. */
  readonly callConnections?: number;
  /** After how long without a byte a stream is taken for dead. */
  readonly streamSilenceMs?: number;
  readonly onCall?: (record: CallRecord) => void;
}

interface Pools {
  readonly tlsKey: string;
  readonly calls: Dispatcher;
  readonly streams: Dispatcher;
}

/** A call that has no answer after this long has an unknown outcome. */
const callTimeoutMs = 30_000;
/** Bookmarks come about once a minute: a watch without a byte for this long is dead (kube-client.md, finding 4). */
const streamSilenceMs = 100_000;
/** A server that asks for a longer pause is asked again after this one; timers beyond 24 days would fire at once. */
const retryAfterMaxMs = 600_000;
/** Some proxies hold a watch's headers back until its first event. */
const streamHeadersMs = 90_000;

/**
 * HTTP to one API server: kept-alive pools of our own, one for calls and one for watches, so that a long stream never
 * stands in the way of a PATCH. Every failure leaves here as a Fault.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #credentials: Credentials;
  #pools: Pools | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#credentials = new Credentials(options.target, options.clock);
  }

  get server(): string {
    return this.#options.target.server;
  }

  /** One request with its whole body. 404 is an answer; every other status of 400 and above is a fault. */
  async call(call: Call, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.#callOnce(call, signal);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "kube.unauthorized") throw error;
      this.#credentials.invalidate();
      return await this.#callOnce(call, signal);
    }
  }

  /**
   * Opens a stream and yields its chunks. Ends when the server ends it, or when it has been silent for so long that it may be
   * dead (on a quiet kind it may as well be healthy: the caller asks again either way); faults when it is cut.
   */
  async *stream(call: Call, signal: AbortSignal): AsyncGenerator<Buffer> {
    const context = this.#context(call);
    try {
      let response = await this.#open(call, signal);
      if (response.statusCode === 401) {
        // A token that ran out while the last watch was open: the next one has to do, without a pause.
        await response.body.dump();
        this.#credentials.invalidate();
        response = await this.#open(call, signal);
      }
      if (response.statusCode >= 400) {
        if (response.statusCode === 401) this.#credentials.invalidate();
        const body = parseJson(await response.body.text());
        throw statusFault(response.statusCode, status(body), context, retryAfter(response.headers));
      }
      for await (const chunk of response.body) yield chunk;
    } catch (error) {
      if (isSilence(error)) return;
      throw transportFault(error, context, signal);
    }
  }

  async close(): Promise<void> {
    const pools = this.#pools;
    this.#pools = undefined;
    await Promise.all([pools?.calls.destroy(), pools?.streams.destroy()]);
  }

  async #open(call: Call, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { identity, pools } = await this.#ready();
    return await this.#recorded(call, "stream", () =>
      pools.streams.request({
        ...this.#request(call, identity),
        signal,
        headersTimeout: streamHeadersMs,
        bodyTimeout: this.#options.streamSilenceMs ?? streamSilenceMs,
      }),
    );
  }

  async #callOnce(call: Call, signal: AbortSignal): Promise<Answer> {
    const context = this.#context(call);
    try {
      const { identity, pools } = await this.#ready();
      const request = {
        ...this.#request(call, identity),
        headersTimeout: callTimeoutMs,
        bodyTimeout: callTimeoutMs,
      };
      const answer = await this.#recorded(call, "call", () => wholeAnswer(pools.calls, request, signal));
      const body = parseJson(await answer.text);
      if (answer.statusCode === 404 || answer.statusCode < 400) {
        if (body === undefined)
          throw new Fault(
            "kube.malformed",
            `${call.method} ${call.path} at ${this.server} answered no JSON`,
            {
              context: { ...context, status: answer.statusCode },
            },
          );
        return { status: answer.statusCode, body };
      }
      throw statusFault(answer.statusCode, status(body), context, retryAfter(answer.headers));
    } catch (error) {
      throw transportFault(error, context, signal);
    }
  }

  /** The time to the head of the answer, as client-go measures it. */
  async #recorded<T extends { readonly statusCode: number }>(
    { method }: Call,
    how: "call" | "stream",
    request: () => Promise<T>,
  ): Promise<T> {
    const { clock, onCall } = this.#options;
    const { host } = new URL(this.server);
    const startedAt = clock.monotonic();
    const record = (code: string): void => {
      const seconds = how === "call" ? (clock.monotonic() - startedAt) / 1000 : undefined;
      onCall?.({ method, host, code, seconds });
    };
    try {
      const response = await request();
      record(String(response.statusCode));
      return response;
    } catch (error) {
      record("<error>");
      throw error;
    }
  }

  async #ready(): Promise<{ identity: Identity; pools: Pools }> {
    const identity = await this.#credentials.get();
    if (this.#pools === undefined || this.#pools.tlsKey !== identity.tlsKey) {
      const old = this.#pools;
      this.#pools = this.#build(identity);
      // What is under way on the old pools ends in its own time.
      void old?.calls.close();
      void old?.streams.close();
    }
    return { identity, pools: this.#pools };
  }

  #build(identity: Identity): Pools {
    const { target, callConnections } = this.#options;
    const connect = { ...identity.tls, timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000 };
    const pool = (connections: number | null): Dispatcher =>
      target.proxyUrl === undefined
        ? new Pool(new URL(target.server).origin, {
            connect,
            connections,
            pipelining: 1,
            // One request a connection: no framing, no shared window, and a watch never stands before a PATCH.
            allowH2: false,
            keepAliveTimeout: 60_000,
          })
        : new ProxyAgent({ uri: target.proxyUrl, requestTls: connect });
    return { tlsKey: identity.tlsKey, calls: pool(callConnections ?? 16), streams: pool(null) };
  }

  #request(call: Call, identity: Identity) {
    const url = new URL(this.server);
    return {
      origin: url.origin,
      method: call.method,
      path: url.pathname.replace(/\/$/, "") + call.path,
      headers: {
        ...identity.headers,
        "user-agent": this.#options.userAgent,
        accept: call.accept ?? "application/json",
        ...(call.contentType === undefined ? {} : { "content-type": call.contentType }),
      },
      ...(call.body === undefined ? {} : { body: call.body }),
    };
  }

  #context(call: Call): CallContext {
    return { server: this.server, method: call.method, path: call.path.split("?")[0] ?? call.path };
  }
}

function status(body: unknown): { message: string; reason: string } {
  return { message: text(body, "message"), reason: text(body, "reason") };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function retryAfter(headers: Readonly<Record<string, string | string[] | undefined>>): number | undefined {
  const value = Number(headers["retry-after"]);
  return Number.isFinite(value) && value > 0 ? Math.min(value * 1000, retryAfterMaxMs) : undefined;
}
