import { once } from "node:events";
import type { Server } from "node:http";
import { pickFreePort } from "../../free-port.ts";

/** A port that is drawn by two at once is rare. Where it is drawn so often, something else is wrong. */
const drawsMax = 5;

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
    if (this.#port !== 0) return await listenOn(server, this.#port);
    this.#port = await listenAnywhere(server);
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

/** Resolves to the port. Another test may draw the same one at the same moment. */
async function listenAnywhere(server: Server): Promise<number> {
  for (let draw = 1; ; draw += 1) {
    const port = await pickFreePort();
    try {
      await listenOn(server, port);
      return port;
    } catch (error) {
      if (draw === drawsMax) throw error;
    }
  }
}

async function listenOn(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}
