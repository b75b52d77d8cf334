import { Fault } from "@fleet-reloader/domain/fault";
import { parseJson } from "@fleet-reloader/domain/json";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { type LinkedAbort, linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import { BackOffs } from "../backoff.ts";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";
import { dateOf, refusalText, retryAfter, statusOf } from "./answer-parts.ts";
import {
  type Answer,
  askAdmission,
  type Call,
  callContextOf,
  type RawAnswer,
  readAnswer,
  wireRequest,
} from "./call.ts";
import { type CallRecord, recorded } from "./call-record.ts";
import { Reservations } from "./reservations.ts";
import { Route, type Way } from "./route.ts";
import { ServerClock } from "./server-clock.ts";
import { type ConnectionGuard, Suspicion } from "./suspicion.ts";
import { isSilence, statusFault, transportFault } from "./to-fault.ts";
import { CallTimes, callTimeoutMs } from "./transport/call-times.ts";
import { type StreamedAnswer, streamedAnswer } from "./transport/streamed-answer.ts";
import { wholeAnswer } from "./transport/whole-answer.ts";

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly onCall?: ((record: CallRecord) => void) | undefined;
  readonly target: ClusterTarget;
  readonly userAgent: string;
  /** Connections for short calls; each carries one request at a time. */
  readonly callConnections?: number;
  /** Calls use the connections of the streams. For a process that only watches: each idle connection costs memory. */
  readonly isShared?: boolean | undefined;
  /** A stream that is silent this long counts as dead. */
  readonly streamSilenceMs?: number;
  /** Maximum of calls per second and at once; undefined: no limit. Streams do not count. */
  readonly limit?: { readonly qps: number; readonly burst: number } | undefined;
}

const callTimeouts = { headersTimeout: callTimeoutMs, bodyTimeout: callTimeoutMs } as const;
/** Each carries one request at a time. A hung server blocks this many requests; a healthy one is kept busy by fewer. */
const callConnectionsDefault = 16;
/** Bookmarks arrive about once a minute: a watch without a byte for this long is dead. */
const streamSilenceMs = 100_000;
/** Some proxies send a watch's headers only with its first event. */
const streamHeadersMs = 90_000;
/** After this much silence other connections are tried. It is a little less than a probe of the cluster waits for an answer. */
const silenceMs = 4000;

/**
 * HTTP to one API server, over kept-alive connections of our own. The object stays the same when address and credentials change, so callers may
 * keep it. Every failure is a Fault.
 */
export class Connection {
  /** The waits before a stream is tried again. */
  readonly backOffs: BackOffs;
  readonly #options: ConnectionOptions;
  readonly #reservations: Reservations;
  readonly #serverClock: ServerClock;
  readonly #times: CallTimes;
  readonly #route: Route;
  readonly #suspicion = new Suspicion();
  #heardAt: number;
  readonly #streams = new Set<LinkedAbort>();
  /** Streams whose connection may be dead although nothing says so. */
  #doubted: readonly LinkedAbort[] = [];

  constructor(options: ConnectionOptions) {
    const { callConnections = callConnectionsDefault, clock, isShared, limit, target } = options;
    this.#options = options;
    this.backOffs = new BackOffs(clock);
    const connections = isShared === true ? undefined : callConnections;
    this.#times = new CallTimes(clock);
    this.#route = new Route({ target, clock, callConnections: connections, waits: this.#times.waits });
    this.#reservations = new Reservations({
      limit,
      connections,
      deadlines: this.#times.head,
      suspicion: this.#suspicion,
      heardAt: () => this.#heardAt,
      clock,
    });
    this.#serverClock = new ServerClock(clock);
    this.#heardAt = clock.monotonic();
  }

  get server(): string {
    return this.#route.server;
  }

  /** Monotonic: when the server last showed that it works, by an answer below 500 or a byte of a stream. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Monotonic: since when a call waits for credentials, for its answer or for more of it. Undefined: none does. */
  get askedSinceMs(): number | undefined {
    return this.#times.waits.oldestSinceMs;
  }

  /** The server's clock now, in whole seconds and never ahead of it; undefined before its first answer. */
  get serverSeconds(): number | undefined {
    return this.#serverClock.seconds;
  }

  /** From now on, after a disturbance, the guard verifies the cluster before anything else is sent. */
  guard(guard: ConnectionGuard): void {
    this.#suspicion.guard = guard;
  }

  /** Every request from now on uses this address and these credentials. Requests under way end in their own time. */
  use(target: ClusterTarget): void {
    this.#route.use(target);
    this.#suspicion.raise();
  }

  /** Ends the back-offs and the open streams. A stream that fell silent while the server was away stays silent when the server is back. */
  reopenStreams(): void {
    this.#suspicion.raise();
    for (const stream of this.#streams) stream.abort();
    this.backOffs.end();
  }

  /** One request with its whole body. 404 is an answer; every other status of 400 and above is a fault. */
  async call(call: Call, signal: AbortSignal): Promise<Answer> {
    const release = await this.#reservations.reserve(signal, () => callContextOf(call, this.server));
    try {
      return await this.#suspicion.watched(this.#send(call, signal, () => this.#admitted(call, signal)));
    } finally {
      release?.();
    }
  }

  /**
   * The way of an admitted call, after every wait. The guard and the brakes are asked again when the credentials or the address changed
   * meanwhile.
   */
  async #admitted(call: Call, signal: AbortSignal): Promise<Way> {
    let way = await this.#route.way(signal);
    for (;;) {
      // Another server may have taken over the address during the waits.
      await this.#suspicion.settled(signal);
      await askAdmission(call);
      const now = await this.#route.way(signal);
      if (now.identity === way.identity) return now;
      way = now;
    }
  }

  /**
   * A call without waits and admission, for probes of whether, and which, cluster answers. Behind other calls a probe would measure how many
   * these are.
   */
  async ask(call: Omit<Call, "admit">, signal: AbortSignal): Promise<Answer> {
    return await this.#send(call, signal, () => this.#route.way(signal));
  }

  /**
   * Opens a stream and yields its chunks. It ends when the server ends it, or when it has been silent so long that it may be dead. (A watch of a
   * quiet kind may be healthy; the caller opens another one in both cases.) It faults when it is cut. `onOpen` is called when the server has
   * begun to answer.
   */
  async *stream(call: Call, outer: AbortSignal, onOpen?: () => void): AsyncGenerator<Buffer> {
    const context = callContextOf(call, this.server);
    using stream = linkedAbort(outer);
    const { signal } = stream;
    this.#streams.add(stream);
    try {
      await this.#suspicion.settled(outer);
      const response = await this.#open(call, signal);
      if (response.statusCode < 500) this.#hear();
      if (response.statusCode >= 400) {
        const body = parseJson(await refusalText(response.body));
        throw statusFault(response.statusCode, statusOf(body), context, retryAfter(response.headers));
      }
      onOpen?.();
      for await (const chunk of response.body) {
        this.#hear();
        if (this.#doubted.includes(stream)) this.#doubted = [];
        yield chunk;
      }
      // A server also ends its streams when it is shut down, and another server may answer next.
      this.#suspicion.raise();
    } catch (error) {
      // `reopenStreams` ended it: nothing else aborts a single stream.
      if (signal.aborted && !outer.aborted) return;
      this.#brokeOff(error, outer);
      if (isSilence(error)) return;
      throw transportFault(error, context, outer);
    } finally {
      this.#streams.delete(stream);
    }
  }

  async close(): Promise<void> {
    this.#times.close();
    await this.#route.close();
  }

  /** Retries once at once when the token was refused and a newer one exists: tokens expire while watches are open. */
  async #open(call: Call, signal: AbortSignal, isSecond = false): Promise<StreamedAnswer> {
    const way = await this.#route.way(signal);
    const { host } = this.#route;
    const { clock, onCall } = this.#options;
    const response = await recorded(clock, onCall, { method: call.method, host, how: "stream" }, () =>
      streamedAnswer(
        way.pools.streams,
        {
          ...wireRequest(call, way, this.#options.userAgent),
          headersTimeout: streamHeadersMs,
          bodyTimeout: this.#options.streamSilenceMs ?? streamSilenceMs,
        },
        signal,
      ),
    );
    if (response.statusCode !== 401) return response;
    this.#route.refused(way.identity);
    if (isSecond || !(await this.#route.hasOther(way.identity, signal))) return response;
    await refusalText(response.body);
    return await this.#open(call, signal, true);
  }

  /** Sends a call. Sends it once more, after another admission, when its credentials were refused and newer ones exist. */
  async #send(
    call: Call,
    signal: AbortSignal,
    admitted: () => Promise<Way>,
    isSecond = false,
  ): Promise<Answer> {
    const { clock } = this.#options;
    const way = await admitted();
    // Read now: the address may change while the call is under way.
    const { server } = this;
    const sentAt = clock.monotonic();
    try {
      const answer = await this.#exchange(call, way, signal);
      if (answer.statusCode === 401) {
        this.#route.refused(way.identity);
        if (!isSecond && (await this.#route.hasOther(way.identity, signal)))
          return await this.#send(call, signal, admitted, true);
      }
      return readAnswer(answer, call, server);
    } catch (error) {
      const isSilent = !(error instanceof Fault) && this.#heardAt < sentAt;
      if (isSilent && clock.monotonic() - sentAt >= silenceMs) this.#doubt();
      this.#brokeOff(error, signal);
      throw transportFault(error, callContextOf(call, server), signal);
    }
  }

  async #exchange(call: Call, way: Way, signal: AbortSignal): Promise<RawAnswer> {
    const { clock, onCall, userAgent } = this.#options;
    const request = { ...wireRequest(call, way, userAgent), ...callTimeouts };
    const { host } = this.#route;
    const pool = call.isLarge === true ? way.pools.lists : way.pools.calls;
    const { statusCode, headers, text } = await recorded(
      clock,
      onCall,
      { method: call.method, host, how: "call" },
      () => wholeAnswer(pool, request, { signal, times: this.#times }),
    );
    const body = parseJson(await text);
    if (statusCode < 500) {
      this.#hear();
      this.#serverClock.read(dateOf(headers));
      this.#endDoubted();
    }
    return { statusCode, headers, body };
  }

  #hear(): void {
    this.#heardAt = this.#options.clock.monotonic();
  }

  /**
   * A connection that a router forgot shows it only by silence, for a minute or more. So the next call uses a new connection. When that call is
   * answered, the streams of the old connection are ended, unless they have sent something meanwhile: then the server was merely slow.
   */
  #doubt(): void {
    this.#route.renew();
    this.#suspicion.raise();
    this.#doubted = [...this.#streams];
  }

  #endDoubted(): void {
    for (const stream of this.#doubted) stream.abort();
    this.#doubted = [];
  }

  /** A fault is an answer, and an abort comes from us: neither is a disturbance. */
  #brokeOff(error: unknown, signal: AbortSignal): void {
    if (error instanceof Fault || signal.aborted) return;
    this.#suspicion.disturbed();
  }
}
