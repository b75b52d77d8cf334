import { createPrivateKey, X509Certificate } from "node:crypto";

/** The problem of a PEM certificate in base64; undefined when it is good or absent. It quotes nothing of the certificate. */
export function certificateProblem(what: string, data: string): string | undefined {
  return problemOf(what, "certificate", data, (pem) => new X509Certificate(pem));
}

/** The problem of a PEM private key in base64. It quotes nothing of the key. */
export function keyProblem(data: string): string | undefined {
  return problemOf("the client key", "private key", data, (pem) => createPrivateKey(pem));
}

function problemOf(
  what: string,
  kind: string,
  data: string,
  read: (pem: Buffer) => unknown,
): string | undefined {
  if (data === "") return undefined;
  try {
    read(Buffer.from(data, "base64"));
    return undefined;
  } catch {
    return `${what} is no ${kind}; expected base64 of PEM`;
  }
}
