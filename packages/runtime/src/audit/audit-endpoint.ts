import type { IncomingMessage, ServerResponse } from "node:http";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { AuditRequestResult } from "@fleet-reloader/engine/ports/meter";
import { createTlsListener, type ListenTls } from "../http/listen-tls.ts";
import type { SocketAddress } from "../http/socket-address.ts";
import { type Listening, startListening } from "../http/start-listening.ts";
import { systemClock } from "../process/system-clock.ts";
import type { AuditCredentials } from "./audit-credentials.ts";
import { type AuditDelivery, deliveryAnswer, deliveryOf } from "./audit-delivery.ts";
import { BodyBudget } from "./body-budget.ts";

/** The answer to a body. `unavailable`: the API server has to send it again. */
export type ReceivedResult = Extract<
  AuditRequestResult,
  "accepted" | "malformed" | "too-large" | "unavailable"
>;

export interface AuditEndpointOptions {
  readonly address: SocketAddress;
  readonly tls: ListenTls;
  readonly credentials: Pick<AuditCredentials, "clusterOf">;
  /** Called with the name of the cluster that the credential belongs to. */
  readonly receive: (cluster: string, body: Buffer, delivery: AuditDelivery) => Promise<ReceivedResult>;
  /** The name is undefined when no credential identifies the cluster. */
  readonly counted: (cluster: string | undefined, result: AuditRequestResult) => void;
  readonly log: Log;
}

const listenFlag = "--audit-listen-address";
const mebibyte = 1024 * 1024;
/** A batch has 400 events of 700 bytes; the default limit of an API server that truncates batches is 10 MiB. */
const bodyMaxBytes = 32 * mebibyte;
/** Per cluster two of the largest bodies, and twice as much in total. */
const bodyLimits = { totalMax: 128 * mebibyte, clusterMax: 64 * mebibyte };
/** As long as an API server waits for an answer. */
const requestTimeoutMs = 30_000;
/** An API server with a wrong token sends batch after batch. */
const refusalEveryMs = 10 * 60_000;

const auditStatusOf: Readonly<Record<AuditRequestResult, number>> = {
  accepted: 200,
  unauthorized: 401,
  malformed: 400,
  "too-large": 413,
  unavailable: 503,
};

/** Receives audit events over HTTPS. The credential is checked before the body is read. Faults when the files of `tls` cannot be used. */
export async function listenAudit(options: AuditEndpointOptions): Promise<Listening> {
  const { address, tls } = options;
  const shared = { bodies: new BodyBudget(bodyLimits), warnOfRefusal: seldomWarning(options.log) };
  const server = await createTlsListener(tls, (request, response) => {
    answerAudit(options, shared, request, response).catch((error: unknown) => {
      options.log.error({ err: asFault(error).message }, "audit events could not be received");
      response.destroy();
    });
  });
  if (server === undefined)
    throw new Fault("config.invalid", `${tls.flags.certFile}: it is missing, and ${listenFlag} needs it`);
  server.requestTimeout = requestTimeoutMs;
  server.headersTimeout = requestTimeoutMs;
  return await startListening(server, listenFlag, address);
}

/** What all requests share. */
interface SharedByRequests {
  readonly bodies: BodyBudget;
  /** Logs that events came without a known credential. */
  readonly warnOfRefusal: (from: string) => void;
}

function seldomWarning(log: Log): SharedByRequests["warnOfRefusal"] {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return (from) => {
    const now = systemClock.monotonic();
    if (now - warnedAt < refusalEveryMs) return;
    warnedAt = now;
    log.warn(
      { from },
      "audit events are refused: their token is in no line of --audit-token-file, and no authority of --audit-client-ca-file signed their certificate",
    );
  };
}

async function answerAudit(
  { counted, credentials, log, receive }: AuditEndpointOptions,
  { bodies, warnOfRefusal }: SharedByRequests,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const cluster = credentials.clusterOf(request);
  if (cluster === undefined) {
    counted(undefined, "unauthorized");
    warnOfRefusal(request.socket.remoteAddress ?? "");
    refuseBody(request, response, "unauthorized");
    return;
  }
  const body = await readBody(request, cluster, bodies);
  let result: AuditRequestResult = "unavailable";
  try {
    result =
      "result" in body
        ? body.result
        : await receive(cluster, Buffer.concat(body.chunks), deliveryOf(request));
  } catch (error) {
    log.error({ cluster, err: asFault(error).message }, "audit events could not be received");
  } finally {
    bodies.release(cluster, body.heldBytes);
    counted(cluster, result);
  }
  if ("result" in body) refuseBody(request, response, result);
  else {
    // A connection that stays would lead the next attempt to this process again.
    if (result === "unavailable") response.setHeader("connection", "close");
    const { headers, text } = deliveryAnswer(request, result, systemClock.now());
    response.writeHead(auditStatusOf[result], headers).end(text);
  }
}

type ReadBody =
  | { readonly chunks: readonly Buffer[]; readonly heldBytes: number }
  | { readonly result: "malformed" | "too-large" | "unavailable"; readonly heldBytes: number };

/** A compressed body could expand a thousand times. No API server compresses. */
function refusedBeforeReading({ headers, method }: IncomingMessage): "malformed" | "too-large" | undefined {
  if (method !== "POST" || (headers["content-encoding"] ?? "identity") !== "identity") return "malformed";
  return Number(headers["content-length"] ?? 0) > bodyMaxBytes ? "too-large" : undefined;
}

async function readBody(request: IncomingMessage, cluster: string, bodies: BodyBudget): Promise<ReadBody> {
  const refused = refusedBeforeReading(request);
  if (refused !== undefined) return { result: refused, heldBytes: 0 };
  const chunks: Buffer[] = [];
  let heldBytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      if (heldBytes + chunk.length > bodyMaxBytes) return { result: "too-large", heldBytes };
      if (!bodies.take(cluster, chunk.length)) return { result: "unavailable", heldBytes };
      heldBytes += chunk.length;
      chunks.push(chunk);
    }
  } catch {
    // The sender has gone; nobody waits for an answer.
    return { result: "malformed", heldBytes };
  }
  return { chunks, heldBytes };
}

/** The rest of the body is not read: the answer closes the connection. */
function refuseBody(request: IncomingMessage, response: ServerResponse, result: AuditRequestResult): void {
  const challenge = result === "unauthorized" ? { "www-authenticate": "Bearer" } : {};
  const { headers, text } = deliveryAnswer(request, result, systemClock.now());
  response.writeHead(auditStatusOf[result], { connection: "close", ...challenge, ...headers });
  response.end(text, () => response.socket?.destroySoon());
}
