import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Work } from "@fleet-reloader/engine/admission/work";
import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { type SocketAddress, startListening } from "@fleet-reloader/runtime/http/start-listening";
import { addExternalScaler } from "./external-scaler.ts";
import { isSameTls, readTlsFiles, type ServerTls, type TlsFiles } from "./tls-files.ts";

export interface ScalerListenOptions {
  readonly address: SocketAddress;
  readonly tls: TlsFiles;
  /** The queue depth, as `/work` answers it. Rejects when it is not known. */
  readonly work: () => Promise<Work>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A scaler that listens. `close` ends its streams well before the connections. */
export interface ListeningScaler {
  readonly port: number;
  close(): Promise<void>;
}

/** A request of KEDA has some hundred bytes. */
const requestMaxBytes = 64 * 1024;
/** KEDA has one connection for all its ScaledObjects; each of these has two streams and a call now and then. */
const connectionsMax = 64;
const scalerStreamsMax = 256;
/** A kubelet writes a renewed Secret within a minute or two; certificates are renewed days before they end. */
const renewEveryMs = 60_000;
/** To end a stream takes one frame. A client that does not take it is left. */
const closeGraceMs = 2000;
const minVersion = "TLSv1.2";

/**
 * Serves KEDA's external push scaler over HTTP/2, with TLS when files are given. Renewed files are taken up while it runs. Faults with a
 * message that names the flag when it cannot listen, or cannot use a file.
 */
export async function listenScaler(options: ScalerListenOptions): Promise<ListeningScaler> {
  const { clock, log, work } = options;
  const ending = new AbortController();
  const handler = connectNodeAdapter({
    routes: (router) => addExternalScaler(router, { work, clock, ending: ending.signal }),
    grpc: true,
    grpcWeb: false,
    connect: false,
    readMaxBytes: requestMaxBytes,
  });
  const tls = await readTlsFiles(options.tls);
  const secured = tls === undefined ? undefined : createSecured(tls, handler);
  const server = secured ?? createServer({ settings: { maxConcurrentStreams: scalerStreamsMax } }, handler);
  server.maxConnections = connectionsMax;
  const sessions = sessionsOf(server);
  const port = await startListening(server, "--scaler-listen-address", options.address);
  const renewing =
    secured && tls && renew({ server: secured, files: options.tls, tls, clock, log }, ending.signal);
  return {
    port,
    async close() {
      ending.abort();
      const closed = new Promise<void>((done) => server.close(() => done()));
      for (const session of sessions) session.close();
      await atMost(closeGraceMs, clock, closed);
      for (const session of sessions) session.destroy();
      await renewing;
    },
  };
}

type GrpcHandler = ReturnType<typeof connectNodeAdapter>;

function createSecured(tls: ServerTls, handler: GrpcHandler): Http2SecureServer {
  const settings = { maxConcurrentStreams: scalerStreamsMax };
  const asksClients = tls.ca !== undefined;
  const { cert, key, ca } = tls;
  try {
    return createSecureServer(
      { cert, key, ca, settings, requestCert: asksClients, rejectUnauthorized: asksClients, minVersion },
      handler,
    );
  } catch (error) {
    throw new Fault(
      "config.invalid",
      `--scaler-tls-cert-file, --scaler-tls-key-file or --scaler-client-ca-file: cannot be used (${asFault(error).message}); give certificates and the key of the first in PEM`,
    );
  }
}

function sessionsOf(server: Http2Server | Http2SecureServer): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  return sessions;
}

interface Renewal {
  readonly server: Http2SecureServer;
  readonly files: TlsFiles;
  readonly tls: ServerTls;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes up files that have changed, until the signal is aborted. Connections that exist keep the certificate they have. */
async function renew({ server, files, tls, clock, log }: Renewal, signal: AbortSignal): Promise<void> {
  let used = tls;
  while (!signal.aborted) {
    await clock.sleep(renewEveryMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const read = await readTlsFiles(files);
      if (read === undefined || isSameTls(read, used)) continue;
      const { cert, key, ca } = read;
      server.setSecureContext({ cert, key, ca, minVersion });
      used = read;
      log.info({}, "the scaler has taken up a renewed certificate");
    } catch (error) {
      log.warn({ err: asFault(error).message }, "the scaler keeps the certificate it has");
    }
  }
}
