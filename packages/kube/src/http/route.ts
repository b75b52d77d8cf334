import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { Credentials, type Identity, isSame } from "../credentials/credentials.ts";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";
import { createPools, type HttpPools } from "./http-pools.ts";
import type { ServerWaits } from "./transport/call-times.ts";
import type { Transport } from "./transport/transport.ts";

export interface RouteOptions {
  readonly target: ClusterTarget;
  readonly clock: Clock;
  /** Undefined: calls use the connections of the streams. */
  readonly callConnections: number | undefined;
  /** Receives the waits for credentials. */
  readonly waits: ServerWaits;
}

/** The address, the credentials and the connections that a request uses. */
export interface Way {
  readonly origin: string;
  /** Precedes each path. */
  readonly prefix: string;
  readonly identity: Identity;
  readonly pools: HttpPools;
}

/** How an API server is reached now: its address, our credentials, and the connections made with both. */
export class Route {
  readonly #options: RouteOptions;
  #at: Address;
  #made: Made | undefined;
  #isClosed = false;

  constructor(options: RouteOptions) {
    this.#options = options;
    this.#at = routeAddressOf(options.target, options.clock);
  }

  get server(): string {
    return this.#at.target.server;
  }

  get host(): string {
    return this.#at.host;
  }

  use(target: ClusterTarget): void {
    const old = this.#at;
    this.#at = routeAddressOf(target, this.#options.clock);
    // Stops the old plugin. A request that waits for the old credentials continues with the new ones.
    old.credentials.close();
  }

  /** The server refused the credentials of a request. */
  refused(identity: Identity): void {
    this.#at.credentials.invalidate(identity);
  }

  /** Whether a request that was refused with this identity would now use another one. */
  async hasOther(identity: Identity, signal: AbortSignal): Promise<boolean> {
    return !isSame((await this.way(signal)).identity, identity);
  }

  /** Waits for credentials. Faults with `engine.aborted` when the signal is aborted or the route is closed; a closed route stays closed. */
  async way(signal: AbortSignal): Promise<Way> {
    for (;;) {
      const at = this.#at;
      if (this.#isClosed) throw closed();
      try {
        const identity = await this.#options.waits.during(at.credentials.get(signal));
        // The credentials for one address are never sent to another.
        if (at !== this.#at) continue;
        if (this.#isClosed) throw closed();
        return { origin: at.origin, prefix: at.prefix, identity, pools: this.#poolsFor(at, identity) };
      } catch (error) {
        // A failure of credentials that have been replaced does not matter.
        if (at === this.#at || signal.aborted) throw error;
      }
    }
  }

  /** From now on requests use new connections. */
  renew(): void {
    this.#leave(undefined);
  }

  async close(): Promise<void> {
    const pools = this.#made?.pools;
    this.#isClosed = true;
    this.#made = undefined;
    this.#at.credentials.close();
    await Promise.all(allOf(pools).map((one) => one.destroy()));
  }

  #poolsFor({ target }: Address, identity: Identity): HttpPools {
    const { server, proxyUrl } = target;
    const { tlsKey } = identity;
    const old = this.#made;
    if (old?.server === server && old.proxyUrl === proxyUrl && old.tlsKey === tlsKey) return old.pools;
    const pools = this.#usable(identity, () =>
      usable(target, () => createPools(target, identity, this.#options.callConnections)),
    );
    this.#leave({ server, proxyUrl, tlsKey, pools });
    return pools;
  }

  /** A certificate and a key that do not match were read during their renewal: the next request reads them again. */
  #usable(identity: Identity, create: () => HttpPools): HttpPools {
    try {
      return create();
    } catch (error) {
      this.refused(identity);
      throw error;
    }
  }

  /** Requests under way on the old pools finish on their own. */
  #leave(made: Made | undefined): void {
    const old = this.#made;
    this.#made = made;
    for (const one of allOf(old?.pools)) void one.close();
  }
}

interface Address {
  readonly target: ClusterTarget;
  readonly credentials: Credentials;
  readonly host: string;
  readonly origin: string;
  readonly prefix: string;
}

/** Connections, and the address and TLS material that they were made with: other ones need other connections. */
interface Made {
  readonly server: string;
  readonly proxyUrl: string | undefined;
  readonly tlsKey: string;
  readonly pools: HttpPools;
}

/** The parts of the address, parsed once and not for each request. */
function routeAddressOf(target: ClusterTarget, clock: Clock): Address {
  const { host, origin, pathname } = new URL(target.server);
  const credentials = new Credentials(target, clock);
  return { target, credentials, host, origin, prefix: pathname.replace(/\/$/, "") };
}

function allOf(pools: HttpPools | undefined): readonly Transport[] {
  return pools === undefined ? [] : [...new Set([pools.calls, pools.streams, pools.lists])];
}

/** No connection can be made with this configuration. Nothing was sent, and the server cannot change it. */
function usable(target: ClusterTarget, create: () => HttpPools): HttpPools {
  try {
    return create();
  } catch (error) {
    if (error instanceof Fault) throw error;
    // The error is left out: it may quote the address of the proxy, which may contain a password.
    const mend = target.proxyUrl === undefined ? "" : "; check its proxy-url, expected http://host:port";
    throw new Fault("kube.unreachable", `no connection to ${target.server} can be made${mend}`);
  }
}

function closed(): Fault {
  return new Fault("engine.aborted", "the connection to the API server is closed");
}
