import { decodePercentCodes } from "@fleet-reloader/domain/bytes";

/** The problem of the address of an API server. It quotes the address only when that cannot hold a password. */
export function addressProblem(server: string): string | undefined {
  const url = URL.parse(server);
  if (server === "") return "it has no server; expected https://host:port";
  if (url === null || !isHttpUrl(server)) return "its server is no address; expected https://host:port";
  if (url.username !== "" || url.password !== "")
    return "its server has a name or a password in it; put them into the user, as username and password";
  if (url.search !== "" || url.hash !== "")
    return `its server has a query or a fragment after ${url.origin}${url.pathname}, to which no path can be added; expected https://host:port[/path]`;
  if (url.protocol === "http:" && !isThisMachine(url.hostname))
    return `its server ${url.origin} is plain HTTP and not on this machine; use https`;
  return undefined;
}

/** The problem of the address of a proxy. It does not quote the address, which may hold a password. */
export function proxyProblem(proxy: string): string | undefined {
  if (proxy === "") return undefined;
  if (!isHttpUrl(proxy)) return "its proxy is no http or https address; expected http://host:port";
  const { username, password } = new URL(proxy);
  // The login is sent to the proxy decoded.
  return decodePercentCodes(`${username}:${password}`) === undefined
    ? "the user or password of its proxy has a % that begins no code; write %25 for a %"
    : undefined;
}

/** `host:6443` without a scheme parses as a URL too, with the scheme `host:`. */
function isHttpUrl(address: string): boolean {
  return /^https?:$/.test(URL.parse(address)?.protocol ?? "");
}

/** Credentials go over plain HTTP only where nobody can listen: to this machine (`kubectl proxy`, simulated clusters). */
function isThisMachine(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
