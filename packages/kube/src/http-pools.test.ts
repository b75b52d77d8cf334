import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { Connection } from "./connection.ts";
import { systemClock } from "./fixture/system-clock.ts";
import { targetOf } from "./fixture/targets-of.ts";

const forever = new AbortController().signal;

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** A server with TLS that speaks both versions of HTTP, holds its answers back until it is told, and a proxy before it. */
async function startWorld(how: { readonly hasProxy: boolean; readonly callConnections: number }) {
  const { keyPem: key, certificatePem: cert } = createLoopbackCertificate();
  const sockets = new Set<Socket>();
  const versions: string[] = [];
  const held: (() => void)[] = [];
  let isOpen = false;
  let tunnels = 0;
  const server = createSecureServer({ key, cert, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion);
    const answer = (): void => void response.end("{}");
    if (isOpen) answer();
    else held.push(answer);
  });
  const proxy = createServer().on("connect", (request, client: Socket) => {
    tunnels += 1;
    const port = Number(request.url?.split(":")[1]);
    const upstream = connect(port, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => socket.destroy()));
    client.pipe(upstream).pipe(client);
  });
  const url = `https://127.0.0.1:${await portOf(server)}`;
  const proxyUrl = how.hasProxy ? `http://127.0.0.1:${await portOf(proxy)}` : undefined;
  const target = targetOf(
    renderKubeconfig({ clusterName: "c", userName: "u", url, certificatePem: cert, token: "t" }),
  );
  const connection = new Connection({
    ...{ target: { ...target, proxyUrl }, clock: systemClock, userAgent: "us/1" },
    callConnections: how.callConnections,
  });
  return {
    versions,
    held,
    tunnels: () => tunnels,
    get: () => connection.call({ method: "GET", path: "/version" }, forever),
    open: () => connection.stream({ method: "GET", path: "/watch" }, forever).next(),
    release() {
      isOpen = true;
      for (const answer of held.splice(0)) answer();
    },
    async [Symbol.asyncDispose]() {
      await connection.close();
      for (const socket of sockets) socket.destroy();
      server.close();
      proxy.close();
    },
  };
}

test.each([
  ["straight", false],
  ["through a proxy", true],
])(
  "%s calls go over so many connections of HTTP/1.1, and streams over one of HTTP/2",
  async (_, hasProxy) => {
    await using world = await startWorld({ hasProxy, callConnections: 2 });
    const calls = Array.from({ length: 6 }, world.get);
    await until("some are under way", () => world.held.length >= 2);
    expect(world.held).toHaveLength(2);
    world.release();
    await Promise.all(calls);
    expect(world.versions).toEqual(Array.from({ length: 6 }, () => "1.1"));
    expect(world.tunnels()).toBe(hasProxy ? 2 : 0);
    await Promise.all([world.open(), world.open(), world.open()]);
    expect(world.versions.slice(6)).toEqual(["2.0", "2.0", "2.0"]);
    expect(world.tunnels()).toBe(hasProxy ? 3 : 0);
  },
);
