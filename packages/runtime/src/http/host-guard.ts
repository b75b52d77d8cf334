import { isIP } from "node:net";
import { printable } from "../log/printable.ts";

/**
 * Judges the `Host` header of a request: undefined when it may be answered, else the reason. A web page can make its own name point to us (DNS
 * rebinding) and then read our answers in the browser of a person who can reach us; its requests carry that name. It cannot do so with an IP
 * address, which kubelets and Prometheus use, and no browser omits Host. `answersServices` also allows names that public name servers do not
 * serve, such as those of Services.
 */
export function createHostGuard(
  allowed: readonly string[],
  answersServices = false,
): (header: string | undefined) => string | undefined {
  const names = new Set(allowed.map(withoutDot).filter((name) => name !== ""));
  return (header) => {
    if (header === undefined || header === "") return undefined;
    const name = hostNameOf(header);
    if (name !== undefined && (isLocal(name) || names.has(name))) return undefined;
    if (name !== undefined && answersServices && isInternal(name)) return undefined;
    const shown = printable(header.slice(0, shownLengthMax));
    return `Host: "${shown}" is no name of this process; ask by localhost or IP address, or allow the name with --allowed-hosts (FLEET_RELOADER_ALLOWED_HOSTS)`;
  };
}

/** A DNS name has at most 253 characters. */
const shownLengthMax = 253;

/** Without the port, and without the brackets of an IPv6 address. */
function hostNameOf(header: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::\d*)?$/i.exec(header);
  const name = match?.[1] ?? match?.[2];
  return name === undefined ? undefined : withoutDot(name);
}

/** Case and a trailing dot have no meaning. */
function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** Browsers resolve these without a name server (RFC 6761, 6.3). */
function isLocal(name: string): boolean {
  return isIP(name) !== 0 || name === "localhost" || name.endsWith(".localhost");
}

/**
 * Whether no page on the internet can have this name: `svc` is no public domain, `local` is reserved (RFC 6762, 22.1), and a public name has a
 * dot. A Service's short name `NAME.NAMESPACE` looks like a public one.
 */
function isInternal(name: string): boolean {
  return /^[^.]+$|\.svc(\.cluster\.local)?$/.test(name);
}
