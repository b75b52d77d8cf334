import { once } from "node:events";
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestPlain,
  type ServerResponse,
} from "node:http";
import { request as requestTls, Agent as TlsAgent } from "node:https";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { renderKubeconfig } from "../sim-api/kubeconfig.ts";
import { scriptedFailure, statusJson } from "../sim-api/status-errors.ts";
import { type EventStream, type LineFate, relayEvents } from "./event-stream.ts";
import { FaultPlan, type Planned } from "./fault-plan.ts";
import { type HeldRequests, RequestHold } from "./held-requests.ts";
import { isWatch, matches, type RequestMatch } from "./request-match.ts";

export interface FaultProxyOptions {
  /** The API server behind; https with any certificate is fine. */
  readonly target: string;
  /** 0 or absent: a free one. */
  readonly port?: number;
}

/** An answer that the proxy gives instead of the server. */
export interface PlannedAnswer extends Planned {
  readonly status: number;
  /** Seconds. */
  readonly retryAfter?: number;
}

interface PlannedHold extends Planned {
  readonly held: RequestHold;
}

/** A plain-HTTP front of an API server that behaves as badly as a test wants. Faults add up; `heal` ends them. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** For a user of the server behind, by its token. */
  kubeconfig(clusterName: string, token: string): string;
  readonly openStreams: number;

  /** Added before each request that fits is passed on. */
  delay(ms: number, match?: RequestMatch): void;
  /** New requests are reset instead of answered. */
  refuse(): void;
  /** Every open connection is reset, now. */
  resetConnections(): void;
  /** Open streams go silent for good, new requests are accepted and never answered. No FIN, no RST. */
  halfOpen(): void;
  /** Ends the watches that run now, in the middle of a line if asked for. Answers how many. */
  cutStreams(how?: { readonly isMidLine?: boolean }): number;
  /** Writes a line into every watch that runs: an ERROR event, or no JSON at all. */
  injectLine(line: string): void;
  /** The next requests that fit get this status. */
  answer(planned: PlannedAnswer): void;
  /** Passes requests on, then resets the connection instead of answering: the reply is lost. */
  loseReply(planned: Planned): void;
  /** Holds the next requests that fit, whole, until they are released: also those whose callers give up meanwhile. */
  hold(planned: Planned): HeldRequests;
  dropEvents(planned: Planned): void;
  doubleEvents(planned: Planned): void;
  /** Back to a plain proxy. What went silent stays silent: a peer that is gone does not come back. */
  heal(): void;
}

/** Starts the proxy on loopback. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const target = new URL(options.target);
  const isTls = target.protocol === "https:";
  const agent = isTls
    ? new TlsAgent({ keepAlive: true, rejectUnauthorized: false })
    : new Agent({ keepAlive: true });
  const request = isTls ? requestTls : requestPlain;
  const sockets = new Set<Socket>();
  const streams = new Set<EventStream>();
  const answers = new FaultPlan<PlannedAnswer>();
  const lostReplies = new FaultPlan<Planned>();
  const holds = new FaultPlan<PlannedHold>();
  const drops = new FaultPlan<Planned>();
  const doubles = new FaultPlan<Planned>();
  let delays: { readonly ms: number; readonly match: RequestMatch }[] = [];
  let mode: "open" | "refusing" | "silent" = "open";

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => reset(incoming));
  });
  server.keepAliveTimeout = 90_000;
  server.requestTimeout = 0;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    for (const { ms, match } of delays) if (matches(match, incoming)) await delay(ms);
    if (mode === "refusing") return reset(incoming);
    if (mode === "silent") return;
    const answer = answers.take(incoming);
    if (answer !== undefined) return sendAnswer(outgoing, answer);
    const hold = holds.take(incoming);
    if (hold !== undefined)
      return await hold.held.keep(incoming, outgoing, (body) => passLate(incoming, outgoing, body));
    const isReplyLost = lostReplies.take(incoming) !== undefined;
    const call = callFor(incoming);
    incoming.pipe(call);
    // A client that leaves takes its request along.
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) call.destroy();
    });
    const upstream = await answerTo(call);
    if (isReplyLost) {
      upstream.resume();
      await once(upstream, "end");
      return reset(incoming);
    }
    outgoing.writeHead(upstream.statusCode ?? 502, passedOn(upstream.headers));
    outgoing.flushHeaders();
    if (isWatch(incoming) && upstream.statusCode === 200) relay(incoming, upstream, outgoing);
    else upstream.pipe(outgoing);
  }

  /** What was held is in the network: whoever sent it cannot take it back. */
  async function passLate(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    body: Buffer,
  ): Promise<number> {
    const call = callFor(incoming);
    call.end(body);
    const upstream = await answerTo(call);
    const status = upstream.statusCode ?? 502;
    outgoing.once("close", () => upstream.resume());
    if (outgoing.destroyed) upstream.resume();
    else upstream.pipe(outgoing.writeHead(status, passedOn(upstream.headers)));
    await once(upstream, "end");
    return status;
  }

  function callFor(incoming: IncomingMessage): ClientRequest {
    const headers = { ...passedOn(incoming.headers), host: target.host };
    return request(new URL(incoming.url ?? "/", target), { agent, method: incoming.method, headers });
  }

  function relay(incoming: IncomingMessage, upstream: IncomingMessage, outgoing: ServerResponse): void {
    const fateOf = (): LineFate => {
      if (drops.take(incoming) !== undefined) return "drop";
      return doubles.take(incoming) === undefined ? "pass" : "double";
    };
    const stream = relayEvents(upstream, outgoing, fateOf, () => streams.delete(stream));
    streams.add(stream);
  }

  return {
    url,
    kubeconfig: (clusterName, token) => renderKubeconfig({ clusterName, userName: "user", url, token }),
    get openStreams() {
      return streams.size;
    },
    delay: (ms, match = {}) => {
      delays.push({ ms, match });
    },
    refuse: () => {
      mode = "refusing";
    },
    resetConnections: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    halfOpen: () => {
      mode = "silent";
      for (const stream of streams) stream.silence();
    },
    cutStreams: ({ isMidLine = false } = {}) => {
      const count = streams.size;
      for (const stream of [...streams]) stream.cut(isMidLine);
      return count;
    },
    injectLine: (line) => {
      for (const stream of streams) stream.inject(line);
    },
    answer: (planned) => answers.add(planned),
    loseReply: (planned) => lostReplies.add(planned),
    hold: (planned) => {
      const held = new RequestHold();
      holds.add({ ...planned, held });
      return held;
    },
    dropEvents: (planned) => drops.add(planned),
    doubleEvents: (planned) => doubles.add(planned),
    heal: () => {
      mode = "open";
      delays = [];
      for (const plan of [answers, lostReplies, holds, drops, doubles]) plan.clear();
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      agent.destroy();
    },
  };
}

function answerTo(call: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  call.once("response", resolve);
  call.once("error", reject);
  return promise;
}

function reset(incoming: IncomingMessage): void {
  incoming.socket.resetAndDestroy();
}

function sendAnswer(outgoing: ServerResponse, { status, retryAfter }: PlannedAnswer): void {
  if (retryAfter !== undefined) outgoing.setHeader("retry-after", String(retryAfter));
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(`${JSON.stringify(statusJson(scriptedFailure(status, retryAfter).status))}\n`);
}

/** Headers that belong to one connection stay on it. */
function passedOn(headers: IncomingMessage["headers"]): OutgoingHttpHeaders {
  const {
    connection: _connection,
    "keep-alive": _keepAlive,
    "transfer-encoding": _encoding,
    ...rest
  } = headers;
  return rest;
}
