import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Work } from "@fleet-reloader/engine/admission/work";
import { printable } from "../log/printable.ts";
import { createHostGuard } from "./host-guard.ts";
import { createTlsListener, type ListenTls } from "./listen-tls.ts";
import type { SocketAddress } from "./socket-address.ts";
import { startListening } from "./start-listening.ts";
import { workPath } from "./work-answer.ts";

export interface ListenAddress extends SocketAddress {
  /** Names by which it may be asked, beside `host`, localhost and IP addresses. */
  readonly allowedHosts?: readonly string[];
  /** May also be asked by any name that only a cluster gives, such as that of a Service. */
  readonly answersServices?: boolean;
}

/**
 * Listens, and answers nobody who asks by a name that is not ours; faults with a message that names the flag when it cannot. Resolves to
 * the port in use. With certificate files it listens with TLS.
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
  const lifetime = new AbortController();
  const secured = tls && (await createTlsListener(tls, guarded, lifetime.signal));
  const server = secured ?? createServer(guarded);
  const listening = await startListening(server, flag, address).catch((error: unknown) => {
    lifetime.abort();
    throw error;
  });
  return {
    server,
    port: listening.port,
    async close() {
      lifetime.abort();
      await listening.close();
    },
  };
}

export interface HealthOptions {
  readonly address: ListenAddress;
  /** What keeps us from being ready, a line each; empty means ready. */
  readonly notReady: () => readonly string[];
  /** What people should know and what keeps us from nothing, a line each. */
  readonly notes?: () => readonly string[];
  readonly metrics: () => Promise<string>;
  /** The work that waits for workers; rejects when it is unknown. Absent where nothing scales by this process. */
  readonly work?: () => Promise<Work>;
}

/** `/live`, `/ready`, `/metrics` and, of those that are always on, `/work`. Liveness depends on nothing but this process (product S10). */
export function listenHealth(options: HealthOptions) {
  // A Service that people made has a name that we do not know, and Prometheus may ask by it.
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

/** An error is never an empty result: the scaler then has to act as without an answer. */
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
