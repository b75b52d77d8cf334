import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pickFreePort } from "@fleet-reloader/testkit/free-port";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { until } from "@fleet-reloader/testkit/until";
import { dataFolder } from "./data-folder.ts";

/** A Redis that is reached over TLS alone. */
export interface TlsRedis extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Of the authority of its certificate, for NODE_EXTRA_CA_CERTS. */
  readonly caFile: string;
}

export async function startTlsRedis(): Promise<TlsRedis> {
  const folder = dataFolder();
  const { certificatePem, keyPem } = createLoopbackCertificate();
  const [caFile, keyFile] = [join(folder.path, "tls.crt"), join(folder.path, "tls.key")];
  writeFileSync(caFile, certificatePem);
  writeFileSync(keyFile, keyPem, { mode: 0o600 });
  const port = await pickFreePort();
  const settings = [
    ...["--port", "0", "--tls-port", String(port), "--bind", "127.0.0.1", "--dir", folder.path],
    ...["--tls-cert-file", caFile, "--tls-key-file", keyFile, "--tls-auth-clients", "no"],
    ...["--save", "", "--appendonly", "yes"],
  ];
  const child = spawn("redis-server", settings, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
  });
  await until("redis-server accepts connections", () => {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}:\n${output}`);
    return output.includes("Ready to accept connections");
  });
  return {
    url: `rediss://127.0.0.1:${port}`,
    pid: child.pid ?? -1,
    caFile,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      folder[Symbol.dispose]();
    },
  };
}
