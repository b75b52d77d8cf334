import { createPrivateKey, X509Certificate } from "node:crypto";

/** What is wrong with base64 of a PEM certificate, without a word of it; nothing is wrong with none. */
export function certificateProblem(what: string, data: string): string | undefined {
  return problemOf(what, "certificate", data, (pem) => new X509Certificate(pem));
}

/** What is wrong with base64 of a PEM private key, without a word of it. */
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
