import type { TLSSocket } from "node:tls";
import { buildConnector, Pool, ProxyAgent } from "undici";
import type { Identity } from "../credentials/credentials.ts";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";
import { secureContextOf } from "../credentials/secure-contexts.ts";
import { type Http2Options, Http2Transport, keepAliveMs } from "./transport/http2-transport.ts";
import type { Transport } from "./transport/transport.ts";

/**
 * Connections to one API server. Streams share one HTTP/2 connection where TLS lets the server choose it; otherwise each stream has its
 * own. Calls have connections of their own, so that a long stream never delays a PATCH. A process that only watches uses the connections
 * of the streams for its calls.
 */
export interface HttpPools {
  readonly calls: Transport;
  readonly streams: Transport;
  /**
   * For answers with many objects. Closing the connection a moment later frees the buffers of such an answer. The same as `calls` if these have
   * connections of their own, and without TLS or through a proxy.
   */
  readonly lists: Transport;
}

/** For TCP and TLS together. A connection across continents takes well below a second, so a slower server counts as away. */
const connectTimeoutMs = 5000;
const idleMs = 60_000;
/** Longer than the time between two pages, and between the lists of two kinds. */
const listIdleMs = 1000;

/** Without a number of connections for calls, calls use the connections of the streams. */
export function createPools(
  target: ClusterTarget,
  identity: Identity,
  callConnections: number | undefined,
): HttpPools {
  const way = { server: new URL(target.server), proxyUrl: target.proxyUrl, tls: tlsOf(identity) };
  const isMultiplexed = way.server.protocol === "https:" && way.proxyUrl === undefined;
  const streams = isMultiplexed ? multiplexed(way, idleMs) : pool(way, null, true);
  if (callConnections === undefined)
    return { calls: streams, streams, lists: isMultiplexed ? multiplexed(way, listIdleMs) : streams };
  // One request a connection: no framing, no shared window, and no watch in front of a PATCH.
  const calls = pool(way, callConnections, false);
  return { calls, streams, lists: calls };
}

interface PooledWay {
  readonly server: URL;
  readonly proxyUrl: string | undefined;
  readonly tls: Http2Options["tls"];
}

function tlsOf(identity: Identity): Http2Options["tls"] {
  const { servername, rejectUnauthorized } = identity.tls;
  return {
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    secureContext: secureContextOf(identity),
  };
}

const connecting = {
  timeout: connectTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelay: keepAliveMs,
} as const;

function pool({ server, proxyUrl, tls }: PooledWay, connections: number | null, allowH2: boolean): Transport {
  const pooling = { connections, pipelining: 1, allowH2, keepAliveTimeout: idleMs };
  const requestTls = { ...tls, ...connecting, preferH2: allowH2 };
  if (proxyUrl === undefined) return new Pool(server.origin, { ...pooling, connect: requestTls });
  return new ProxyAgent({
    ...pooling,
    uri: proxyUrl,
    requestTls: { ...requestTls, allowH2 },
    proxyTls: { timeout: connectTimeoutMs },
  });
}

/**
 * With TLS a watch over HTTP/1.1 costs some 75 KiB (measured), and a watch over HTTP/2 a fraction of it. An unread stream blocks no other: Node
 * reads the bytes of all streams from the connection as they arrive.
 */
function multiplexed({ server, tls }: PooledWay, keptMs: number): Transport {
  return new Http2Transport({
    origin: server,
    tls,
    connectTimeoutMs,
    idleMs: keptMs,
    plain: (first) =>
      new Pool(server.origin, {
        pipelining: 1,
        allowH2: false,
        keepAliveTimeout: keptMs,
        connect: beginningWith(first, buildConnector({ ...tls, ...connecting, allowH2: false })),
      }),
  });
}

/** Makes connections; the first one is already open. */
function beginningWith(first: TLSSocket, connect: buildConnector.connector): buildConnector.connector {
  let spare: TLSSocket | undefined = first;
  return (options, callback) => {
    const socket = spare;
    spare = undefined;
    if (socket === undefined || socket.destroyed) connect(options, callback);
    else queueMicrotask(() => callback(null, socket));
  };
}
