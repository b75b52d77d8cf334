import { createServer, type RequestListener } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Connection } from "./connection.ts";

const forever = new AbortController().signal;

async function portOf(server: Server | Http2SecureServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

interface How {
  readonly hasProxy: boolean;
  readonly hasTls?: boolean;
  /** Without it calls use the connections of the streams. */
  readonly callConnections?: number;
}

/** A server that speaks both versions of HTTP with TLS and holds back its answers until told, with a proxy before it. */
async function startWorld({ hasProxy, hasTls = true, callConnections }: How) {
  const { keyPem: key, certificatePem: cert } = createLoopbackCertificate();
  const sockets = new Set<Socket>();
  const versions: string[] = [];
  const held: (() => void)[] = [];
  let isOpen = false;
  let tunnels = 0;
  let opened = 0;
  const onRequest: RequestListener = (request, response) => {
    versions.push(request.httpVersion);
    const answer = (): void => void response.end("{}");
    if (isOpen) answer();
    else held.push(answer);
  };
  const server = hasTls
    ? createSecureServer({ key, cert, allowHTTP1: true }).on("request", onRequest)
    : createServer(onRequest);
  server.on("connection", () => {
    opened += 1;
  });
  const proxy = createServer().on("connect", (request, client: Socket) => {
    tunnels += 1;
    const port = Number(request.url?.split(":")[1]);
    const upstream = connect(port, "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => socket.destroy()));
    client.pipe(upstream).pipe(client);
  });
  const url = `${hasTls ? "https" : "http"}://127.0.0.1:${await portOf(server)}`;
  const proxyUrl = hasProxy ? `http://127.0.0.1:${await portOf(proxy)}` : undefined;
  const target = targetOf(
    renderKubeconfig({
      ...{ clusterName: "c", userName: "u", url, token: "t" },
      ...(hasTls ? { certificatePem: cert } : {}),
    }),
  );
  const connection = new Connection({
    ...{ target: { ...target, proxyUrl }, clock: systemClock, userAgent: "us/1" },
    ...(callConnections === undefined ? { isShared: true } : { callConnections }),
  });
  return {
    versions,
    held,
    tunnels: () => tunnels,
    opened: () => opened,
    get: () => connection.call({ method: "GET", path: "/version" }, forever),
    list: () => connection.call({ method: "GET", path: "/pods", isLarge: true }, forever),
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

test.each([
  ["a connection of their own, straight", { hasProxy: false }, 2],
  ["that of all else without TLS", { hasProxy: false, hasTls: false }, 1],
  ["that of all else through a proxy", { hasProxy: true }, 1],
])("lists of many objects of whoever only watches have %s", async (_, how, opened) => {
  await using world = await startWorld(how);
  world.release();
  for (const ask of [world.get, world.list, world.open]) {
    await ask();
    // Undici takes a connection back shortly after the end of an answer.
    await settled();
  }
  expect(world.opened()).toBe(opened);
});
