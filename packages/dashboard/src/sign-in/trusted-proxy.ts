import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { type IssuedPerson, issuedPerson } from "./issued-person.ts";

/** A proxy that signs people in, and the headers in which it names them. */
export interface TrustedProxyOptions {
  /** Its certificate has one of these names. `*`: every certificate of the authorities belongs to a proxy. */
  readonly names: readonly string[];
  /** The header's name in lower case. */
  readonly userHeader: string;
  readonly groupsHeader: string;
}

/**
 * Makes a function that reads the person of a request from the headers of a proxy. They count only on a connection that the proxy has opened
 * with its certificate; on any other they are ignored. Faults with `access.forbidden` when their values cannot be used.
 */
export function createTrustedProxy({ groupsHeader, names, userHeader }: TrustedProxyOptions) {
  return ({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">): IssuedPerson | undefined => {
    const name = headerText(headers[userHeader]);
    if (name === "" || !isOfProxy(socket, names)) return undefined;
    const groups = headerText(headers[groupsHeader])
      .split(",")
      .map((group) => group.trim())
      .filter((group) => group !== "");
    return issuedPerson(name, userHeader, groups, groupsHeader);
  };
}

function isOfProxy(socket: unknown, names: readonly string[]): boolean {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return false;
  const { raw, subject, subjectaltname = "" } = socket.getPeerCertificate();
  // Some versions of Node 24 report a resumed session as authorized although it began without a certificate.
  if (raw === undefined) return false;
  const dnsNames = subjectaltname
    .split(", ")
    .flatMap((entry) => (entry.startsWith("DNS:") ? [entry.slice("DNS:".length)] : []));
  return names.some((name) => name === "*" || name === subject?.CN || dnsNames.includes(name));
}

/** A header that occurs twice contains a comma, which no name has. Node reads bytes as Latin-1, but proxies write UTF-8. */
function headerText(given: string | readonly string[] | undefined): string {
  const text = typeof given === "string" ? given : (given ?? []).join(",");
  return Buffer.from(text, "latin1").toString("utf8").trim();
}
