import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { userAgent } from "@fleet-reloader/runtime/process/version";
import { outcomeUnknown, unreachableServer } from "./server-faults.ts";

/** A server, and how it is reached. */
export interface ServerLink {
  readonly server: URL;
  /** Undefined: nobody is signed in. */
  readonly token: string | undefined;
  /** Certificates as PEM; undefined: those that Node trusts. */
  readonly ca: string | undefined;
  readonly clock: Clock;
}

export interface ServerRequest {
  readonly path: string;
  /** JSON; with one it is a POST. */
  readonly body?: string;
  /** Without it, GET or POST. */
  readonly method?: "DELETE";
  /** Whether it does something: then a failure after it was sent says that its outcome is not known. */
  readonly isAct: boolean;
}

/** What a server answers. */
export interface ServerAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it comes. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** A turn at the server is over after 30 s, and one more may go before ours. */
const serverSilenceMaxMs = 90_000;

/**
 * Sends one request and gives its answer to `read`, on a connection of its own. Redirects are not followed: the token goes to the given
 * server alone. Faults with `server.unreachable` when nothing comes for 90 s.
 */
export async function exchange<T>(
  link: ServerLink,
  asked: ServerRequest,
  read: (answer: ServerAnswer) => Promise<T>,
): Promise<T> {
  using silence = new SilenceLimit(link.clock);
  const sent = sendAsked(link, asked, silence.signal);
  try {
    const answer = await sent.answer;
    silence.begin();
    const { headers, statusCode: status = 0 } = answer;
    return await read({ status, headers, chunks: chunksOf(answer, silence) });
  } catch (error) {
    const fault = error instanceof Fault ? error : unreachableServer(link.server, silence.reason ?? error);
    throw asked.isAct && sent.isSent() && !isRefusal(fault) ? outcomeUnknown(link.server, fault) : fault;
  } finally {
    sent.end();
  }
}

function sendAsked(
  { ca, server, token }: ServerLink,
  { body, method: given, path }: ServerRequest,
  signal: AbortSignal,
) {
  const { promise: answer, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let isSent = false;
  const headers = {
    accept: "application/json, application/x-ndjson",
    "user-agent": userAgent,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const method = given ?? (body === undefined ? "GET" : "POST");
  const how = { headers, method, agent: false, signal } as const;
  const address = new URL(path, server);
  const request =
    server.protocol === "https:"
      ? requestHttps(address, Object.assign(ca === undefined ? {} : { ca }, how))
      : requestHttp(address, how);
  // Before this, nothing of the request has left.
  request.once("socket", (socket) =>
    socket.once(server.protocol === "https:" ? "secureConnect" : "connect", () => {
      isSent = true;
    }),
  );
  request.on("error", reject).once("response", resolve);
  request.end(body);
  return { answer, isSent: () => isSent, end: () => request.destroy() };
}

/** The reader of a chunk may be slow, as a pager is. */
async function* chunksOf(answer: IncomingMessage, silence: SilenceLimit): AsyncGenerator<Buffer> {
  for await (const chunk of answer) {
    silence.pause();
    if (Buffer.isBuffer(chunk)) yield chunk;
    silence.begin();
  }
}

/** Says of a fault that the server has answered, and not done it. */
function isRefusal({ class: its, code }: Fault): boolean {
  return code === "act.unknown" || (code !== "server.foreign" && its !== "unreachable");
}

/** Aborts what has said nothing for too long. */
class SilenceLimit implements Disposable {
  readonly #clock: Clock;
  readonly #late = new AbortController();
  #over = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.begin();
  }

  get signal(): AbortSignal {
    return this.#late.signal;
  }

  /** Why it was aborted; undefined: it was not. */
  get reason(): unknown {
    return this.#late.signal.aborted ? this.#late.signal.reason : undefined;
  }

  pause(): void {
    this.#over.abort();
  }

  [Symbol.dispose](): void {
    this.pause();
  }

  /** The limit begins anew. */
  begin(): void {
    this.pause();
    const over = new AbortController();
    this.#over = over;
    this.#clock.sleep(serverSilenceMaxMs, over.signal).then(
      () => this.#late.abort(new Error(`no answer within ${serverSilenceMaxMs / 1000} s`)),
      () => undefined,
    );
  }
}
