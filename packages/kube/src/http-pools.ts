import { type Dispatcher, Pool, ProxyAgent } from "undici";
import type { Identity } from "./credentials.ts";
import type { ClusterTarget } from "./kubeconfig.ts";

/** Connections to one API server: some for calls, any number for streams, so that a long stream never stands in the way of a PATCH. */
export interface HttpPools {
  /** What they were made of: with another address or other TLS material others are needed. */
  readonly key: string;
  readonly calls: Dispatcher;
  readonly streams: Dispatcher;
}

/** TCP and TLS together. A server that takes longer is as good as away (fleet.md, 2.4). */
const connectTimeoutMs = 5000;

export function poolsKey(target: ClusterTarget, identity: Identity): string {
  return JSON.stringify([target.server, target.proxyUrl, identity.tlsKey]);
}

export function createPools(target: ClusterTarget, identity: Identity, callConnections: number): HttpPools {
  const connect = {
    ...identity.tls,
    timeout: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  const pool = (connections: number | null): Dispatcher =>
    target.proxyUrl === undefined
      ? new Pool(new URL(target.server).origin, {
          connect,
          connections,
          pipelining: 1,
          // One request a connection: no framing, no shared window, and a watch never stands before a PATCH.
          allowH2: false,
          keepAliveTimeout: 60_000,
        })
      : new ProxyAgent({ uri: target.proxyUrl, requestTls: connect });
  return { key: poolsKey(target, identity), calls: pool(callConnections), streams: pool(null) };
}
