import { once } from "node:events";
import type { Server } from "node:http";

/** A server that can go away and come back on the same port, as a cluster in an outage does. */
export class Listener {
  readonly #createServer: () => Server;
  #server: Server | undefined;
  readonly #scheme: "http" | "https";
  #port: number;

  /** Port 0: a free one, kept from the first start on. */
  constructor(createServer: () => Server, scheme: "http" | "https", port: number) {
    this.#createServer = createServer;
    this.#scheme = scheme;
    this.#port = port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.#port}`;
  }

  get isListening(): boolean {
    return this.#server !== undefined;
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = this.#createServer();
    this.#server = server;
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address !== null && typeof address === "object") this.#port = address.port;
  }

  /** At once: open connections are reset, new ones refused. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }
}
