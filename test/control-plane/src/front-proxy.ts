import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";

/**
 * Flags with which an API server passes requests on to others and says whose they are. It shows them this certificate, which is its own
 * authority; they find that authority in the ConfigMap `extension-apiserver-authentication`, where the API server writes it.
 */
export async function writeFrontProxy(directory: string): Promise<readonly string[]> {
  const certificatePath = join(directory, "front-proxy.crt");
  const keyPath = join(directory, "front-proxy.key");
  const { certificatePem, keyPem } = createLoopbackCertificate();
  await writeFile(certificatePath, certificatePem);
  await writeFile(keyPath, keyPem, { mode: 0o600 });
  return [
    `--requestheader-client-ca-file=${certificatePath}`,
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${certificatePath}`,
    `--proxy-client-key-file=${keyPath}`,
  ];
}
