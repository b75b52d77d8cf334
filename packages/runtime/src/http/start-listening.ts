import type { Server } from "node:net";
import { Fault } from "@fleet-reloader/domain/fault";
import { addressText, type SocketAddress } from "./socket-address.ts";

/** Resolves to the port in use once the server listens. Faults with a message that names the flag when it cannot. */
export async function startListening(server: Server, flag: string, address: SocketAddress): Promise<number> {
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
  const { host, port } = address;
  server.listen({ port, ...(host === "" ? {} : { host }) }, resolve);
  await promise;
  const bound = server.address();
  return typeof bound === "object" && bound !== null ? bound.port : port;
}
