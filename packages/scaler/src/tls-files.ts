import { readFile } from "node:fs/promises";
import { Fault } from "@fleet-reloader/domain/fault";

/** Files in PEM; an empty name: none. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The authorities of the certificates that clients have to show. Empty: none is asked for. */
  readonly clientCaFile: string;
}

/** What Node's TLS server takes. */
export interface ServerTls {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Absent: clients show no certificate. */
  readonly ca: Buffer | undefined;
}

const flags = {
  certFile: "--scaler-tls-cert-file",
  keyFile: "--scaler-tls-key-file",
  clientCaFile: "--scaler-client-ca-file",
} as const satisfies Record<keyof TlsFiles, string>;

/** Undefined without files: then there is no TLS. Faults when a file is missing, or cannot be read. */
export async function readTlsFiles(files: TlsFiles): Promise<ServerTls | undefined> {
  const { certFile, clientCaFile, keyFile } = files;
  if (certFile === "" && keyFile === "" && clientCaFile === "") return undefined;
  for (const name of ["certFile", "keyFile"] as const)
    if (files[name] === "")
      throw new Fault("config.invalid", `${flags[name]} is missing: TLS needs a certificate and its key`);
  const [cert, key] = await Promise.all([read("certFile", certFile), read("keyFile", keyFile)]);
  const ca = clientCaFile === "" ? undefined : await read("clientCaFile", clientCaFile);
  return { cert, key, ca };
}

async function read(name: keyof TlsFiles, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Fault(
      "config.invalid",
      `${flags[name]} ${file}: cannot be read (${why}); give a file in PEM that this process may read`,
    );
  }
}

/** Whether both hold the same. */
export function isSameTls(one: ServerTls, other: ServerTls): boolean {
  return (
    one.cert.equals(other.cert) &&
    one.key.equals(other.key) &&
    Buffer.compare(one.ca ?? Buffer.of(), other.ca ?? Buffer.of()) === 0
  );
}
