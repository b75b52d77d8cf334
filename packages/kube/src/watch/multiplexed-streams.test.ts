import type { RequestListener, ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { Server } from "node:https";
import { createServer as createHttpsServer } from "node:https";
import { connect as connectTo, createServer as createRouter, type Socket } from "node:net";
import { settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import type { Call } from "../http/call.ts";
import { Connection } from "../http/connection.ts";

const forever = new AbortController().signal;
/** More than may be buffered for an unread stream. */
const flood = Buffer.alloc(4 * 1024 * 1024, "x");

/** A router before a server that can forget its present connections: they stay open, but nothing passes through. */
async function startRouter(server: Server | Http2SecureServer) {
  const forgotten = new Set<Socket>();
  const sockets = new Set<Socket>();
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const router = createRouter((client) => {
    const upstream = connectTo(port, "127.0.0.1");
    for (const [from, to] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(from);
      from.on("error", () => from.destroy());
      from.on("data", (chunk) => {
        if (!forgotten.has(from)) to.write(chunk);
      });
      from.on("close", () => {
        if (!forgotten.has(from)) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => router.listen(0, "127.0.0.1", resolve));
  const own = router.address();
  return {
    port: typeof own === "object" ? (own?.port ?? 0) : 0,
    forget() {
      for (const socket of sockets) forgotten.add(socket);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      router.close();
    },
  };
}

/** A server with TLS: `/flood` never stops, `/silent` sends nothing, `/watch` sends a line and stays open, all else answers `{}`. */
async function connect(speaks: "HTTP/2" | "HTTP/1.1", streamSilenceMs = 60_000, isShared = true) {
  const { keyPem: key, certificatePem: cert } = createLoopbackCertificate();
  const watches: ServerResponse[] = [];
  const held: ServerResponse[] = [];
  let sockets = 0;
  const onRequest: RequestListener = (request, response) => {
    if (request.url === "/held") return void held.push(response);
    response.writeHead(200, { "content-type": "application/json" });
    if (request.url === "/flood") return void response.write(flood);
    if (request.url === "/silent") return response.flushHeaders();
    if (request.url !== "/watch") return void response.end("{}");
    watches.push(response);
    response.write("begins\n");
  };
  const server: Server | Http2SecureServer =
    speaks === "HTTP/2"
      ? createSecureServer({ key, cert, allowHTTP1: true }).on("request", onRequest)
      : createHttpsServer({ key, cert }, onRequest);
  server.on("secureConnection", () => {
    sockets += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const router = await startRouter(server);
  const url = `https://127.0.0.1:${router.port}`;
  const target = targetOf(
    renderKubeconfig({ clusterName: "c", userName: "u", url, certificatePem: cert, token: "t" }),
  );
  let ahead = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead };
  const connection = new Connection({
    ...{ target, clock, userAgent: "us/1", isShared, streamSilenceMs },
  });
  const open = (path: string) => connection.stream({ method: "GET", path }, forever);
  return {
    open,
    sockets: () => sockets,
    askFor: (call: Call, signal: AbortSignal) => connection.ask(call, signal),
    ask: (signal: AbortSignal) => connection.ask({ method: "GET", path: "/version" }, signal),
    forget: () => router.forget(),
    held: () => held.length,
    failHeld() {
      for (const response of held) response.writeHead(503).end("{}");
    },
    pass(ms: number) {
      ahead += ms;
    },
    get: () => connection.call({ method: "GET", path: "/version" }, forever),
    say: (line: string) => {
      for (const watch of watches) watch.write(line);
    },
    async [Symbol.asyncDispose]() {
      await connection.close();
      router.close();
      server.close();
    },
  };
}

async function next(stream: AsyncGenerator<Buffer>): Promise<string> {
  const { value } = await stream.next();
  return String(value);
}

test("watches and calls of a cluster that speaks HTTP/2 share one connection", async () => {
  await using world = await connect("HTTP/2");
  await world.get();
  const watches = ["/watch", "/watch", "/watch"].map(world.open);
  expect(await Promise.all(watches.map(next))).toEqual(["begins\n", "begins\n", "begins\n"]);
  expect((await world.get()).body).toEqual({});
  expect(world.sockets()).toBe(1);
});

// Back-pressure stops only one stream: while Redis is slow for one kind, the others continue.
test("a stream that is not read stops neither another one nor a call", async () => {
  await using world = await connect("HTTP/2");
  const stuck = world.open("/flood");
  await stuck.next();
  const watch = world.open("/watch");
  expect(await next(watch)).toBe("begins\n");
  for (const line of ["one\n", "two\n"]) {
    world.say(line);
    expect(await next(watch)).toBe(line);
  }
  expect((await world.get()).body).toEqual({});
});

test("a stream that falls silent ends by itself, and the others go on", async () => {
  await using world = await connect("HTTP/2", 1000);
  const watch = world.open("/watch");
  await next(watch);
  const silent = world.open("/silent").next();
  let isOver = false;
  void silent.then(() => {
    isOver = true;
  });
  await until("the silent stream has ended", async () => {
    world.say("still here\n");
    await next(watch);
    return isOver;
  });
  expect((await silent).done).toBe(true);
});

test("where only HTTP/1.1 is spoken no call waits behind a watch", async () => {
  await using world = await connect("HTTP/1.1");
  const watches = ["/watch", "/watch"].map(world.open);
  expect(await Promise.all(watches.map(next))).toEqual(["begins\n", "begins\n"]);
  expect((await world.get()).body).toEqual({});
  expect(world.sockets()).toBe(3);
});

test("a silent connection is replaced after an unanswered request; its watches reopen", async () => {
  await using world = await connect("HTTP/2");
  const watch = world.open("/watch");
  await next(watch);
  const silent = watch.next();
  world.forget();
  const probe = new AbortController();
  const asked = world.ask(probe.signal);
  asked.catch(() => undefined);
  await settled();
  world.pass(5000);
  probe.abort();
  await expect(asked).rejects.toMatchObject({ code: "engine.aborted" });
  expect((await world.ask(AbortSignal.timeout(120_000))).body).toEqual({});
  expect(world.sockets()).toBe(2);
  expect((await silent).done).toBe(true);
});

test("a watch leaves its silent connection although calls go on over theirs", async () => {
  await using world = await connect("HTTP/2", 1000, false);
  const watch = world.open("/watch");
  await next(watch);
  world.forget();
  expect((await watch.next()).done).toBe(true);
  expect((await world.get()).body).toEqual({});
  expect(await next(world.open("/watch"))).toBe("begins\n");
});

test("a connection that was merely slow keeps its streams", async () => {
  await using world = await connect("HTTP/2");
  const watch = world.open("/watch");
  await next(watch);
  const probe = new AbortController();
  const asked = world.askFor({ method: "GET", path: "/held" }, probe.signal);
  asked.catch(() => undefined);
  await until("it is asked", () => world.held() === 1);
  world.pass(5000);
  probe.abort();
  await expect(asked).rejects.toMatchObject({ code: "engine.aborted" });
  world.say("late\n");
  expect(await next(watch)).toBe("late\n");
  await world.get();
  expect(world.sockets()).toBe(2);
  world.say("and on\n");
  expect(await next(watch)).toBe("and on\n");
});

test("an answer that comes late, and is none, says nothing of the connection either", async () => {
  await using world = await connect("HTTP/2");
  const watch = world.open("/watch");
  await next(watch);
  const asked = world.askFor({ method: "GET", path: "/held" }, forever);
  asked.catch(() => undefined);
  await until("it is asked", () => world.held() === 1);
  world.pass(5000);
  world.failHeld();
  await expect(asked).rejects.toMatchObject({ code: "kube.server-error" });
  await world.get();
  expect(world.sockets()).toBe(1);
});

test("a request given up early, or while watches receive data, keeps the connection", async () => {
  await using world = await connect("HTTP/2");
  const watch = world.open("/watch");
  await next(watch);
  const silence = { method: "GET", path: "/silent" } as const;
  for (const talks of [false, true]) {
    const probe = new AbortController();
    const asked = world.askFor(silence, probe.signal);
    asked.catch(() => undefined);
    await settled();
    if (talks) {
      world.pass(5000);
      world.say("still here\n");
      await next(watch);
    }
    probe.abort();
    await expect(asked).rejects.toMatchObject({ code: "engine.aborted" });
  }
  await world.get();
  expect(world.sockets()).toBe(1);
  world.say("and now\n");
  expect(await next(watch)).toBe("and now\n");
});
