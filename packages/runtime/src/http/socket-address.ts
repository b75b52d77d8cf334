/** Where a server listens. Port 0 takes any free one. */
export interface SocketAddress {
  /** Empty: all addresses, of IPv6 and of IPv4, as far as this machine has them. */
  readonly host: string;
  readonly port: number;
}

/** An address as people write it in a flag: `127.0.0.1:9090`, `[::1]:9090`, or `:9090` for all addresses. */
export function addressText({ host, port }: SocketAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The URL of an address. A server that listens on all addresses is reachable on this machine too. */
export function addressUrl(scheme: string, { host, port }: SocketAddress): string {
  return `${scheme}://${addressText({ host: host || "localhost", port })}`;
}
