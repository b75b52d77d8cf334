import type { TLSSocket } from "node:tls";
import { buildConnector, Pool, ProxyAgent } from "undici";
import type { Identity } from "../credentials/credentials.ts";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";
import { secureContextOf } from "../credentials/secure-contexts.ts";
import { Http2Transport, keepAliveMs } from "./transport/http2-transport.ts";
import type { Transport } from "./transport/transport.ts";

/**
 * Connections to one API server. Streams share one of HTTP/2 where TLS lets the server choose it, else each has its own. Calls have
 * others, so that a long stream never stands in the way of a PATCH; or the same, for whoever only watches.
 */
export interface HttpPools {
  readonly calls: Transport;
  readonly streams: Transport;
  /**
   * For answers of many objects. What such a one leaves behind of buffers goes with its connection, a moment after it. The same as `calls`
   * where these have connections of their own, and without TLS or through a proxy.
   */
  readonly lists: Transport;
}

/** TCP and TLS together. A server that takes longer is as good as away: across continents it is well below a second. */
const connectTimeoutMs = 5000;
const idleMs = 60_000;
/** From one page to the next, and from the list of one kind to that of another. */
const listIdleMs = 1000;

/** Without a number of connections for calls they share those of the streams. */
export function createPools(
  target: ClusterTarget,
  identity: Identity,
  callConnections: number | undefined,
): HttpPools {
  const { servername, rejectUnauthorized } = identity.tls;
  const tls = {
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    secureContext: secureContextOf(identity),
  };
  const connect = { ...tls, timeout: connectTimeoutMs, keepAlive: true, keepAliveInitialDelay: keepAliveMs };
  const { proxyUrl } = target;
  const server = new URL(target.server);
  const pool = (connections: number | null, allowH2: boolean): Transport => {
    const options = { connections, pipelining: 1, allowH2, keepAliveTimeout: idleMs };
    const requestTls = { ...connect, preferH2: allowH2 };
    return proxyUrl === undefined
      ? new Pool(server.origin, { ...options, connect: requestTls })
      : new ProxyAgent({
          ...options,
          uri: proxyUrl,
          requestTls: { ...requestTls, allowH2 },
          proxyTls: { timeout: connectTimeoutMs },
        });
  };
  // A watch of HTTP/1.1 costs some 75 KiB with TLS (measured), of HTTP/2 a fraction of it. A stream that is
  // not read stops no other: Node takes the bytes of all from the connection as they come.
  const multiplexed = (keptMs: number): Transport =>
    new Http2Transport({
      origin: server,
      tls,
      connectTimeoutMs,
      idleMs: keptMs,
      plain: (first) =>
        new Pool(server.origin, {
          pipelining: 1,
          allowH2: false,
          keepAliveTimeout: keptMs,
          connect: beginningWith(first, buildConnector({ ...connect, allowH2: false })),
        }),
    });
  const isMultiplexed = server.protocol === "https:" && proxyUrl === undefined;
  const streams = isMultiplexed ? multiplexed(idleMs) : pool(null, true);
  if (callConnections === undefined)
    return { calls: streams, streams, lists: isMultiplexed ? multiplexed(listIdleMs) : streams };
  // One request a connection: no framing, no shared window, and a watch never stands before a PATCH.
  const calls = pool(callConnections, false);
  return { calls, streams, lists: calls };
}

/** Makes connections, of which one is there already. */
function beginningWith(first: TLSSocket, connect: buildConnector.connector): buildConnector.connector {
  let spare: TLSSocket | undefined = first;
  return (options, callback) => {
    const socket = spare;
    spare = undefined;
    if (socket === undefined || socket.destroyed) connect(options, callback);
    else queueMicrotask(() => callback(null, socket));
  };
}
