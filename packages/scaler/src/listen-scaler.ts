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
import type { SocketAddress } from "@fleet-reloader/runtime/http/socket-address";
import { startListening } from "@fleet-reloader/runtime/http/start-listening";
import {
  readTlsFiles,
  renewTls,
  type ServerTls,
  type TlsFiles,
  tlsMinVersion,
} from "@fleet-reloader/runtime/http/tls-files";
import { addExternalScaler } from "./external-scaler.ts";

export interface ScalerListenOptions {
  readonly address: SocketAddress;
  readonly tls: TlsFiles;
  /** The queue depth, as in the answer of `/work`. Rejects when it is not known. */
  readonly work: () => Promise<Work>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A listening scaler. `close` ends its streams without an error before it closes the connections. */
export interface ListeningScaler {
  readonly port: number;
  close(): Promise<void>;
}

/** Maximum size of a request. A request of KEDA has some hundred bytes. */
const requestMaxBytes = 64 * 1024;
/** Maximum connections. KEDA has one for all its ScaledObjects; each of these has two streams and an occasional call. */
const connectionsMax = 64;
const scalerStreamsMax = 256;
/** Time for a client to take the frame that ends its stream. Afterwards its connection is closed anyway. */
const closeGraceMs = 2000;
const scalerTlsFlags = {
  certFile: "--scaler-tls-cert-file",
  keyFile: "--scaler-tls-key-file",
  clientCaFile: "--scaler-client-ca-file",
} as const;

/**
 * Serves KEDA's external push scaler over HTTP/2, with TLS when files are given. Renewed files are loaded while it runs. When it cannot listen
 * or cannot use a file, it faults with a message that names the flag.
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
  const tls = await readTlsFiles(options.tls, scalerTlsFlags);
  const secured = tls === undefined ? undefined : createSecured(tls, handler);
  const server = secured ?? createServer({ settings: { maxConcurrentStreams: scalerStreamsMax } }, handler);
  server.maxConnections = connectionsMax;
  const sessions = sessionsOf(server);
  const { port } = await startListening(server, "--scaler-listen-address", options.address);
  const renewing =
    secured &&
    tls &&
    renewTls({ server: secured, files: options.tls, flags: scalerTlsFlags, tls, clock, log }, ending.signal);
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
      {
        cert,
        key,
        ca,
        settings,
        requestCert: asksClients,
        rejectUnauthorized: asksClients,
        minVersion: tlsMinVersion,
      },
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
