import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createSecureServer } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import type { Certificate } from "@fleet-reloader/testkit/sim-api/http/certificate";

/** Ports of a fleet: one for all clusters, or one for each. */
export interface Listeners {
  readonly urls: readonly string[];
  /** Cuts what is open on a port and leaves new connections unanswered, or talks again. */
  readonly swallow: (port: number, isSilent: boolean) => void;
  readonly sockets: () => number;
}

export async function listen(options: {
  readonly ports: number;
  readonly certificate: Certificate | undefined;
  readonly onRequest: RequestListener;
}): Promise<Listeners> {
  const { certificate, onRequest } = options;
  // As kube-apiserver: over TLS the client chooses between HTTP/2 and HTTP/1.1.
  const web = certificate === undefined ? createHttpServer(onRequest) : secureServer(certificate, onRequest);
  const silent = new Set<number>();
  const open = Array.from({ length: options.ports }, () => new Set<Socket>());
  const urls: string[] = [];
  for (const [port, sockets] of open.entries()) {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      socket.on("error", () => undefined);
      if (!silent.has(port)) web.emit("connection", socket);
    });
    urls.push(`${certificate === undefined ? "http" : "https"}://127.0.0.1:${await portOf(server)}`);
  }
  return {
    urls,
    swallow(port, isSilent) {
      if (isSilent) silent.add(port);
      else silent.delete(port);
      for (const socket of open[port] ?? []) socket.destroy();
    },
    sockets: () => open.reduce((sum, sockets) => sum + sockets.size, 0),
  };
}

/** Requests of both versions look alike as far as they are looked at here. */
function secureServer({ keyPem, certificatePem }: Certificate, onRequest: RequestListener) {
  const server = createSecureServer({ key: keyPem, cert: certificatePem, allowHTTP1: true });
  return server.on("request", onRequest);
}

/** Enough for a whole fleet that connects at once. */
const backlog = 4096;

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog }, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
