import type { Server, Socket } from "node:net";
import { Fault } from "@fleet-reloader/domain/fault";
import { addressText, type SocketAddress } from "./socket-address.ts";

export interface Listening {
  /** The port in use. */
  readonly port: number;
  /**
   * Closes every connection and resolves when none is left. An HTTP server only knows connections after their TLS handshake, and waits two
   * minutes for one whose client is silent.
   */
  close(): Promise<void>;
}

/** Resolves once the server listens. Faults with a message that names the flag when it cannot. */
export async function startListening(
  server: Server,
  flag: string,
  address: SocketAddress,
): Promise<Listening> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (error) => {
    const why = "code" in error && error.code === "EADDRINUSE" ? "the port is taken" : error.message;
    reject(
      new Fault(
        "config.invalid",
        `${flag} ${addressText(address)}: cannot listen there (${why}); choose another address, or port 0 for any free one`,
      ),
    );
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const { host, port } = address;
  server.listen({ port, ...(host === "" ? {} : { host }) }, resolve);
  await promise;
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : port,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
