import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { readTlsFiles, renewTls, type TlsFiles, type TlsFlags, tlsMinVersion } from "./tls-files.ts";

/** How a listener gets its certificate. */
export interface ListenTls {
  readonly files: TlsFiles;
  readonly flags: TlsFlags;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
}

/**
 * A server with the certificate of the files, which it reloads after a renewal for as long as it listens; undefined without files. Faults when
 * they cannot be used.
 */
export async function createTlsListener(
  { files, flags, clock, log }: ListenTls,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server | undefined> {
  const tls = await readTlsFiles(files, flags);
  if (tls === undefined) return undefined;
  try {
    const { ca, cert, key } = tls;
    // A client without a certificate is accepted here; the request handler checks whether there was one.
    const server = createServer(
      { ca, cert, key, requestCert: ca !== undefined, rejectUnauthorized: false, minVersion: tlsMinVersion },
      handle,
    );
    const lifetime = new AbortController();
    server.once("listening", () => void renewTls({ server, files, flags, tls, clock, log }, lifetime.signal));
    server.once("close", () => lifetime.abort());
    return server;
  } catch (error) {
    throw new Fault(
      "config.invalid",
      `${flags.certFile} or ${flags.keyFile}: cannot be used (${asFault(error).message}); give a certificate and its key in PEM`,
    );
  }
}
