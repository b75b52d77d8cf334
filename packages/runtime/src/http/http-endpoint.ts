import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Work } from "@fleet-reloader/engine/admission/work";
import { printable } from "../log/printable.ts";
import { createHostGuard } from "./host-guard.ts";
import { createTlsListener, type ListenTls } from "./listen-tls.ts";
import type { SocketAddress } from "./socket-address.ts";
import { startListening } from "./start-listening.ts";
import { workPath } from "./work-answer.ts";

export interface ListenAddress extends SocketAddress {
  /** Accepted host names, besides `host`, localhost and IP addresses. */
  readonly allowedHosts?: readonly string[];
  /** Also accepts any name that only a cluster serves, such as that of a Service. */
  readonly answersServices?: boolean;
}

/**
 * Listens, and answers only requests with an accepted host name. Faults with a message that names the flag when it cannot listen. Resolves to the
 * port in use. With certificate files it uses TLS.
 */
export async function listen(
  flag: string,
  address: ListenAddress,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  tls?: ListenTls,
): Promise<{ readonly server: Server; readonly port: number; close(): Promise<void> }> {
  const allowed = [address.host, ...(address.allowedHosts ?? [])];
  const refusalOf = createHostGuard(allowed, address.answersServices);
  const guarded = (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refusalOf(request.headers.host);
    if (refusal === undefined) handle(request, response);
    else send(response, 421, `${refusal}\n`);
  };
  const secured = tls && (await createTlsListener(tls, guarded));
  const server = secured ?? createServer(guarded);
  const { close, port } = await startListening(server, flag, address);
  return { server, port, close };
}

export interface HealthOptions {
  readonly address: ListenAddress;
  /** Why we are not ready, one line each; empty means ready. */
  readonly notReady: () => readonly string[];
  /** Notes for people that do not affect readiness, one line each. */
  readonly notes?: () => readonly string[];
  readonly metrics: () => Promise<string>;
  /** The work that waits for workers; rejects when it is unknown. Absent when no scaler asks this process. */
  readonly work?: () => Promise<Work>;
}

/** `/live`, `/ready`, `/metrics` and, in always-on processes, `/work`. Liveness depends on nothing but this process (product S10). */
export function listenHealth(options: HealthOptions) {
  // We do not know the names of Services that people create, and Prometheus may use one.
  const address = { ...options.address, answersServices: true };
  return listen("--listen-address", address, (request, response) => {
    answer(request.url?.split("?")[0] ?? "/", response, options).catch((error: unknown) => {
      send(
        response,
        500,
        `cannot be told: ${printable(error instanceof Error ? error.message : "unknown")}\n`,
      );
    });
  });
}

async function answer(path: string, response: ServerResponse, options: HealthOptions): Promise<void> {
  // Without a line break, as the peer: a probe may compare.
  if (path === "/live") return send(response, 200, "alive");
  if (path === "/metrics")
    return send(response, 200, await options.metrics(), "text/plain; version=0.0.4; charset=utf-8");
  if (path === workPath && options.work !== undefined) return await sendWork(response, options.work);
  if (path !== "/ready") {
    const served = options.work === undefined ? "/ready and /metrics" : `/ready, /metrics and ${workPath}`;
    return send(response, 404, `not found; /live, ${served} are served here\n`);
  }
  const reasons = options.notReady();
  const notes = (options.notes?.() ?? []).map((note) => `note: ${note}`);
  const lines = [...(reasons.length === 0 ? ["ready"] : reasons), ...notes];
  return send(response, reasons.length === 0 ? 200 : 503, `${lines.map(printable).join("\n")}\n`);
}

/** An error is never an empty result: the scaler then acts as without an answer. */
async function sendWork(response: ServerResponse, work: () => Promise<Work>): Promise<void> {
  try {
    send(response, 200, `${JSON.stringify(await work())}\n`, "application/json");
  } catch (error) {
    send(response, 503, `${printable(error instanceof Error ? error.message : "unknown")}\n`);
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  type = "text/plain; charset=utf-8",
): void {
  response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff" }).end(body);
}
