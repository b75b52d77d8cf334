import { readFile } from "node:fs/promises";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";

/** PEM files; an empty name means none. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The authorities of client certificates. Empty: no client certificate is required. */
  readonly clientCaFile: string;
}

/** What Node's TLS server takes. */
export interface ServerTls {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Absent: no client certificate is requested. */
  readonly ca: Buffer | undefined;
}

/** The flags that name the files. */
export type TlsFlags = Readonly<Record<keyof TlsFiles, string>>;

/** Undefined without files: then there is no TLS. Faults when a file is missing or unreadable. */
export async function readTlsFiles(files: TlsFiles, flags: TlsFlags): Promise<ServerTls | undefined> {
  const { certFile, clientCaFile, keyFile } = files;
  if (certFile === "" && keyFile === "" && clientCaFile === "") return undefined;
  for (const name of ["certFile", "keyFile"] as const)
    if (files[name] === "")
      throw new Fault("config.invalid", `${flags[name]} is missing: TLS needs a certificate and its key`);
  const [cert, key] = await Promise.all([read(flags.certFile, certFile), read(flags.keyFile, keyFile)]);
  const ca = clientCaFile === "" ? undefined : await read(flags.clientCaFile, clientCaFile);
  return { cert, key, ca };
}

async function read(flag: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Fault(
      "config.invalid",
      `${flag} ${file}: cannot be read (${why}); give a file in PEM that this process may read`,
    );
  }
}

/** Whether both have the same content. */
function isSameTls(one: ServerTls, other: ServerTls): boolean {
  return (
    one.cert.equals(other.cert) &&
    one.key.equals(other.key) &&
    Buffer.compare(one.ca ?? Buffer.of(), other.ca ?? Buffer.of()) === 0
  );
}

export interface TlsRenewal {
  /** A server with TLS. */
  readonly server: { setSecureContext(tls: object): void };
  readonly files: TlsFiles;
  readonly flags: TlsFlags;
  /** The files that the server uses now. */
  readonly tls: ServerTls;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
}

/** All clients of our servers support this. */
export const tlsMinVersion = "TLSv1.2";
/** A kubelet writes a renewed Secret within a minute or two; certificates are renewed days before they expire. */
const renewEveryMs = 60_000;

/** Reloads changed files until the signal is aborted. Existing connections keep their certificate. */
export async function renewTls(renewal: TlsRenewal, signal: AbortSignal): Promise<void> {
  const { server, files, flags, tls, clock, log } = renewal;
  const flag = flags.certFile;
  let used = tls;
  while (!signal.aborted) {
    await clock.sleep(renewEveryMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const read = await readTlsFiles(files, flags);
      if (read === undefined || isSameTls(read, used)) continue;
      const { cert, key, ca } = read;
      server.setSecureContext({ cert, key, ca, minVersion: tlsMinVersion });
      used = read;
      log.info({ flag }, "a renewed certificate is taken up");
    } catch (error) {
      const err = asFault(error).message;
      log.warn({ flag, err }, "a renewed certificate cannot be used; the one before stays");
    }
  }
}
