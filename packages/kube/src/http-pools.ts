import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { Identity } from "./credentials.ts";
import type { ClusterTarget } from "./kubeconfig.ts";
import { secureContextOf } from "./secure-contexts.ts";

/**
 * Connections to one API server. Streams share one of HTTP/2 where TLS lets the server choose it, else each has its own. Calls have
 * others, so that a long stream never stands in the way of a PATCH; or the same, for whoever only watches.
 */
export interface HttpPools {
  readonly calls: Dispatcher;
  readonly streams: Dispatcher;
}

/** TCP and TLS together. A server that takes longer is as good as away: across continents it is well below a second. */
const connectTimeoutMs = 5000;

/** Without a number of connections for calls they share those of the streams. */
export function createPools(
  target: ClusterTarget,
  identity: Identity,
  callConnections: number | undefined,
): HttpPools {
  const { servername, rejectUnauthorized } = identity.tls;
  const connect = {
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    secureContext: secureContextOf(identity),
    timeout: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  const pool = (connections: number | null, allowH2: boolean): Dispatcher => {
    const options = { connections, pipelining: 1, allowH2, keepAliveTimeout: 60_000 };
    const tls = { ...connect, preferH2: allowH2 };
    return target.proxyUrl === undefined
      ? new Pool(new URL(target.server).origin, { ...options, connect: tls })
      : new ProxyAgent({
          ...options,
          uri: target.proxyUrl,
          requestTls: { ...tls, allowH2 },
          proxyTls: { timeout: connectTimeoutMs },
        });
  };
  // A watch of HTTP/1.1 costs some 75 KiB with TLS (measured), of HTTP/2 a fraction of it. A stream that is
  // not read stops no other: Node takes the bytes of all from the connection as they come.
  const streams = pool(null, true);
  // One request a connection: no framing, no shared window, and a watch never stands before a PATCH.
  const calls = callConnections === undefined ? streams : pool(callConnections, false);
  return { calls, streams };
}
