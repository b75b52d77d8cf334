import type { Clock } from "@fleet-reloader/engine/clock";
import { Credentials, type Identity } from "./credentials.ts";
import { createPools, type HttpPools, poolsKey } from "./http-pools.ts";
import type { ClusterTarget } from "./kubeconfig.ts";

export interface RouteOptions {
  readonly target: ClusterTarget;
  readonly clock: Clock;
  /** Undefined: calls go over the connections of the streams. */
  readonly callConnections: number | undefined;
}

/** What a request goes by. */
export interface Way {
  readonly origin: string;
  /** Stands before each path. */
  readonly prefix: string;
  readonly identity: Identity;
  readonly pools: HttpPools;
}

/** How an API server is reached now: its address, our credentials, and the connections that were made with both. */
export class Route {
  readonly #options: RouteOptions;
  #target: ClusterTarget;
  #credentials: Credentials;
  #pools: HttpPools | undefined;

  constructor(options: RouteOptions) {
    this.#options = options;
    this.#target = options.target;
    this.#credentials = new Credentials(options.target, options.clock);
  }

  get server(): string {
    return this.#target.server;
  }

  get host(): string {
    return new URL(this.server).host;
  }

  use(target: ClusterTarget): void {
    this.#target = target;
    this.#credentials = new Credentials(target, this.#options.clock);
  }

  /** The server refused what a request was sent with. */
  refused(identity: Identity): void {
    this.#credentials.invalidate(identity);
  }

  async way(signal: AbortSignal): Promise<Way> {
    const identity = await this.#credentials.get(signal);
    if (this.#pools?.key !== poolsKey(this.#target, identity)) {
      const old = this.#pools;
      this.#pools = createPools(this.#target, identity, this.#options.callConnections);
      // What is under way on the old pools ends in its own time.
      void old?.calls.close();
      void old?.streams.close();
    }
    const { origin, pathname } = new URL(this.server);
    return { origin, prefix: pathname.replace(/\/$/, ""), identity, pools: this.#pools };
  }

  async close(): Promise<void> {
    this.#credentials.close();
    const pools = this.#pools;
    this.#pools = undefined;
    await Promise.all([pools?.calls.destroy(), pools?.streams.destroy()]);
  }
}
