import { Fault } from "@fleet-reloader/domain/fault";
import { parseJson } from "@fleet-reloader/domain/json";
import { type LinkedAbort, linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";
import { dateOf, refusalText, retryAfter, statusOf } from "./answer-parts.ts";
import { type Answer, type Call, callContextOf, wireRequest } from "./call.ts";
import { CallLimit } from "./call-limit.ts";
import { type RecordingOptions, recorded } from "./call-record.ts";
import { CallSemaphore } from "./call-semaphore.ts";
import { Deadlines } from "./deadlines.ts";
import { Route } from "./route.ts";
import { type ConnectionGuard, Suspicion } from "./suspicion.ts";
import { isSilence, statusFault, transportFault } from "./to-fault.ts";
import { type StreamedAnswer, streamedAnswer } from "./transport/streamed-answer.ts";
import { wholeAnswer } from "./whole-answer.ts";

export interface ConnectionOptions extends RecordingOptions {
  readonly target: ClusterTarget;
  readonly userAgent: string;
  /** Connections for short calls; each carries one request at a time. */
  readonly callConnections?: number;
  /** Calls go over the connections of the streams: for whoever only watches, since each idle connection costs memory. */
  readonly isShared?: boolean;
  /** After how long without a byte a stream is taken for dead. */
  readonly streamSilenceMs?: number;
  /** The most calls a second, and at once; undefined: as many as there are. Streams do not count. */
  readonly limit?: { readonly qps: number; readonly burst: number } | undefined;
}

/** A call whose answer has not begun after this long has an unknown outcome: an API server answers nearly all within a second. */
const callTimeoutMs = 10_000;
/** A page of large objects over a thin line may take a while; a server that drips must not take for ever. */
const wholeAnswerMs = 60_000;
/** Each carries one request at a time: a hung server holds this many of ours, and a healthy one is kept busy by fewer. */
const callConnectionsDefault = 16;
/** Bookmarks come about once a minute: a watch without a byte for this long is dead. */
const streamSilenceMs = 100_000;
/** Some proxies hold a watch's headers back until its first event. */
const streamHeadersMs = 90_000;
/** A server's clock that seems to have gone back by this much was set, or is another server's. */
const clockSetMs = 3000;
/** Silence that makes other connections worth a try: a little less than whoever looks after a cluster waits for an answer. */
const silenceMs = 4000;

/**
 * HTTP to one API server, over kept-alive connections of our own. It stays the same object while address and credentials
 * change inside, so whoever has it may keep it. Every failure leaves here as a Fault.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #limit: CallLimit | undefined;
  /** Undefined: the connections are not for calls alone. */
  readonly #semaphore: CallSemaphore | undefined;
  readonly #head: Deadlines;
  readonly #whole: Deadlines;
  readonly #route: Route;
  readonly #suspicion = new Suspicion();
  #heardAt: number;
  /** By how much the server's clock is ahead of our monotonic one: a lower bound. */
  #aheadMs: number | undefined;
  readonly #streams = new Set<LinkedAbort>();
  /** Streams whose connection may be dead without a word. */
  #doubted: readonly LinkedAbort[] = [];

  constructor(options: ConnectionOptions) {
    const { callConnections = callConnectionsDefault, clock, isShared, limit, target } = options;
    this.#options = options;
    const connections = isShared === true ? undefined : callConnections;
    this.#route = new Route({ target, clock, callConnections: connections });
    this.#limit = limit === undefined ? undefined : new CallLimit({ ...limit, clock });
    this.#head = new Deadlines(callTimeoutMs, clock);
    this.#semaphore =
      connections === undefined
        ? undefined
        : new CallSemaphore({ connections, deadlines: this.#head, clock });
    this.#whole = new Deadlines(wholeAnswerMs, clock);
    this.#heardAt = clock.monotonic();
  }

  get server(): string {
    return this.#route.server;
  }

  /** When the server last said something that only a working server says: an answer below 500, a byte of a stream. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** The server's clock now, in whole seconds and never ahead of it; undefined before it has answered anything. */
  get serverSeconds(): number | undefined {
    if (this.#aheadMs === undefined) return undefined;
    return Math.floor((this.#aheadMs + this.#options.clock.monotonic()) / 1000);
  }

  /** From now on nothing is asked after a disturbance before the guard has looked. */
  guard(guard: ConnectionGuard): void {
    this.#suspicion.guard = guard;
  }

  /** Another way to the same cluster: for every request from now on. Those under way end in their own time. */
  use(target: ClusterTarget): void {
    this.#route.use(target);
    this.#suspicion.raise();
  }

  /** Ends the streams that are open: what fell silent with a server that was away stays silent when it is back. */
  reopenStreams(): void {
    this.#suspicion.raise();
    for (const stream of this.#streams) stream.abort();
  }

  /** One request with its whole body. 404 is an answer; every other status of 400 and above is a fault. */
  async call(call: Call, signal: AbortSignal): Promise<Answer> {
    await this.#limit?.turn(signal).catch((error: unknown) => {
      throw transportFault(error, callContextOf(call, this.server), signal);
    });
    // One look of the guard serves all, and none of them holds a turn meanwhile.
    await this.#suspicion.settled(signal);
    const endTurn = await this.#turn(call, signal);
    try {
      return await this.#send(call, signal, async () => {
        // What is behind the address may have become another while there was no turn, or no credentials.
        await this.#suspicion.settled(signal);
        await call.beforeSent?.();
      });
    } finally {
      endTurn?.();
    }
  }

  /** Who gets none in time waits for a server that hangs; or, where it has answered meanwhile, for calls of ours. */
  async #turn(call: Call, signal: AbortSignal): Promise<(() => void) | undefined> {
    const sinceMs = this.#options.clock.monotonic();
    try {
      return await this.#semaphore?.take(signal);
    } catch (error) {
      const context = callContextOf(call, this.server);
      if (signal.aborted || this.#heardAt <= sinceMs) throw transportFault(error, context, signal);
      throw new Fault(
        "engine.overloaded",
        `no connection to ${this.server} was free in time: too many calls of ours`,
        {
          context: { ...context },
          cause: error,
        },
      );
    }
  }

  /**
   * A call past the guard and past the limit: for whoever finds out what is behind the address, and whether it answers. Behind
   * others of ours it would find out how many these are.
   */
  async ask(call: Call, signal: AbortSignal): Promise<Answer> {
    return await this.#send(call, signal, call.beforeSent);
  }

  /**
   * Opens a stream and yields its chunks. Ends when the server ends it, or when it has been silent for so long that it may be
   * dead (on a quiet kind it may as well be healthy: the caller asks again either way); faults when it is cut.
   */
  async *stream(call: Call, outer: AbortSignal): AsyncGenerator<Buffer> {
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
      for await (const chunk of response.body) {
        this.#hear();
        if (this.#doubted.includes(stream)) this.#doubted = [];
        yield chunk;
      }
      // A server that is taken down in good order ends its streams, too: what answers next may be another.
      this.#suspicion.raise();
    } catch (error) {
      // Reopened: nothing else ends a stream alone.
      if (signal.aborted && !outer.aborted) return;
      this.#brokeOff(error, outer);
      if (isSilence(error)) return;
      throw transportFault(error, context, outer);
    } finally {
      this.#streams.delete(stream);
    }
  }

  async close(): Promise<void> {
    this.#head.close();
    this.#whole.close();
    await this.#route.close();
  }

  /** A token that ran out while the last watch was open: where there is another by now it has to do, without a pause. */
  async #open(call: Call, signal: AbortSignal, isSecond = false): Promise<StreamedAnswer> {
    const way = await this.#route.way(signal);
    const { host } = this.#route;
    const response = await recorded(this.#options, { method: call.method, host, how: "stream" }, () =>
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

  /** Once more when credentials were refused and there are others by now. */
  async #send(call: Call, signal: AbortSignal, ask?: Call["beforeSent"], isSecond = false): Promise<Answer> {
    const { clock, userAgent } = this.#options;
    const way = await this.#route.way(signal, ask);
    // As it is now: while the call is under way it may become another.
    const { server } = this;
    const sentAt = clock.monotonic();
    try {
      const request = {
        ...wireRequest(call, way, userAgent),
        headersTimeout: callTimeoutMs,
        bodyTimeout: callTimeoutMs,
      };
      const deadlines = { head: this.#head, whole: this.#whole };
      const { host } = this.#route;
      const answer = await recorded(this.#options, { method: call.method, host, how: "call" }, () =>
        wholeAnswer(call.isLarge === true ? way.pools.lists : way.pools.calls, request, {
          signal,
          deadlines,
        }),
      );
      const body = parseJson(await answer.text);
      if (answer.statusCode < 500) {
        this.#hear();
        this.#readClock(dateOf(answer.headers));
        this.#endDoubted();
      }
      if (answer.statusCode === 401) {
        this.#route.refused(way.identity);
        if (!isSecond && (await this.#route.hasOther(way.identity, signal)))
          return await this.#send(call, signal, ask, true);
      }
      const isAnswer = answer.statusCode === 404 || answer.statusCode < 400;
      if (isAnswer && body !== undefined) return { status: answer.statusCode, body };
      const context = callContextOf(call, server);
      if (!isAnswer)
        throw statusFault(answer.statusCode, statusOf(body), context, retryAfter(answer.headers));
      throw new Fault("kube.malformed", `${call.method} ${call.path} at ${server} answered no JSON`, {
        context: { ...context, status: answer.statusCode },
      });
    } catch (error) {
      const isSilent = !(error instanceof Fault) && this.#heardAt < sentAt;
      if (isSilent && clock.monotonic() - sentAt >= silenceMs) this.#doubt();
      this.#brokeOff(error, signal);
      throw transportFault(error, callContextOf(call, server), signal);
    }
  }

  /** An answer says whole seconds and has taken its time: it is never ahead, and the one that is the least behind counts. */
  #readClock(atMs: number | undefined): void {
    if (atMs === undefined) return;
    const aheadMs = atMs - this.#options.clock.monotonic();
    const before = this.#aheadMs ?? aheadMs;
    this.#aheadMs = before - aheadMs > clockSetMs ? aheadMs : Math.max(before, aheadMs);
  }

  #hear(): void {
    this.#heardAt = this.#options.clock.monotonic();
  }

  /**
   * A connection whose other end is gone without a word (a router forgot it) shows that by silence alone, for a minute and more.
   * So the next question takes another one. Streams of the old are ended when that is answered, unless they have said something
   * by then: it was merely slow.
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

  /** A fault is an answer; what is aborted is our own doing. */
  #brokeOff(error: unknown, signal: AbortSignal): void {
    if (error instanceof Fault || signal.aborted) return;
    this.#suspicion.disturbed();
  }
}
