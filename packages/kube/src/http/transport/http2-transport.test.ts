import { once } from "node:events";
import { constants, createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { createServer, type Server } from "node:net";
import { createSecureContext } from "node:tls";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { type Http2Options, Http2Transport } from "./http2-transport.ts";
import { streamedAnswer } from "./streamed-answer.ts";
import type { WireRequest } from "./transport.ts";
import { wholeAnswer } from "./whole-answer.ts";

const forever = new AbortController().signal;
const certificate = createLoopbackCertificate();

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

function transportTo(port: number, options: Partial<Http2Options> = {}): Http2Transport {
  const { certificatePem: ca } = certificate;
  return new Http2Transport({
    ...{ origin: new URL(`https://127.0.0.1:${port}`), tls: { secureContext: createSecureContext({ ca }) } },
    ...{ connectTimeoutMs: 5000, idleMs: 60_000 },
    plain: () => {
      throw new Error("HTTP/1.1 was not meant");
    },
    ...options,
  });
}

/** A server with this answer, and the requests it received. */
async function serve(
  answer: (stream: ServerHttp2Stream, path: string) => void,
  { maxConcurrentStreams = 100, ...options }: Partial<Http2Options> & { maxConcurrentStreams?: number } = {},
) {
  const { keyPem: key, certificatePem: cert } = certificate;
  const sessions: ServerHttp2Session[] = [];
  let opened = 0;
  const server = createSecureServer({ key, cert, settings: { maxConcurrentStreams } });
  server.on("session", (session) => {
    opened += 1;
    sessions.push(session);
    session.on("error", () => undefined);
    session.on("close", () => sessions.splice(sessions.indexOf(session), 1));
  });
  server.on("stream", (stream: ServerHttp2Stream, { ":path": path = "" }) => {
    stream.on("error", () => undefined);
    answer(stream, path);
  });
  const transport = transportTo(await listening(server), options);
  const request = (path: string): WireRequest => ({ origin: "", method: "GET", path, headers: {} });
  return {
    transport,
    sessions,
    opened: () => opened,
    open: (path: string, more: Partial<WireRequest> = {}) =>
      streamedAnswer(transport, { ...request(path), ...more }, forever),
    async get(path: string): Promise<string> {
      const { text } = await wholeAnswer(transport, request(path), { signal: forever });
      return await text;
    },
    async [Symbol.asyncDispose]() {
      await transport.destroy();
      for (const session of [...sessions]) session.destroy();
      server.close();
    },
  };
}

/** Answers at once, but a `/watch` stays open. */
function usual(stream: ServerHttp2Stream, path: string): void {
  stream.respond({ ":status": 200 });
  if (path === "/watch") stream.write("begins\n");
  else stream.end("{}");
}

async function firstOf(body: AsyncIterable<Buffer>): Promise<string> {
  for await (const chunk of body) return String(chunk);
  return "";
}

describe("requests over HTTP/2", () => {
  test("share one connection, and have another when the server takes no more on it", async () => {
    await using world = await serve(usual, { maxConcurrentStreams: 3 });
    await world.get("/version");
    await Promise.all(Array.from({ length: 3 }, () => world.open("/watch")));
    expect(world.opened()).toBe(1);
    await Promise.all(Array.from({ length: 2 }, () => world.open("/watch")));
    expect(world.opened()).toBe(2);
  });

  test("under way survive an orderly end of the connection, and the next get a new one", async () => {
    const watches: ServerHttp2Stream[] = [];
    await using world = await serve((stream, path) => {
      usual(stream, path);
      if (path === "/watch") watches.push(stream);
    });
    const { body } = await world.open("/watch");
    const lines = body[Symbol.asyncIterator]();
    expect(String((await lines.next()).value)).toBe("begins\n");
    world.sessions[0]?.close();
    await until("the next has a new one", async () => (await world.get("/version")) && world.opened() === 2);
    watches[0]?.end("and on\n");
    expect(String((await lines.next()).value)).toBe("and on\n");
    expect((await lines.next()).done).toBe(true);
  });

  test("are sent once more when the server has not looked at them, and only once", async () => {
    let refusals = 1;
    await using world = await serve((stream, path) => {
      refusals -= 1;
      if (refusals >= 0) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else usual(stream, path);
    });
    expect(await world.get("/version")).toBe("{}");
    refusals = 2;
    await expect(world.get("/version")).rejects.toMatchObject({ code: "ERR_HTTP2_STREAM_ERROR" });
    expect(refusals).toBe(0);
  });

  test.each<[string, (stream: ServerHttp2Stream) => void]>([
    ["broken off", (stream) => stream.write("half", () => stream.destroy(new Error("broken")))],
    ["shorter than it was to be", (stream) => stream.end("half")],
  ])("whose answer is %s have none", async (_, end) => {
    await using world = await serve((stream) => {
      stream.respond({ ":status": 200, "content-length": "8" });
      end(stream);
    });
    await expect(world.get("/version")).rejects.toThrow();
    const { body } = await world.open("/watch");
    const read = async (): Promise<void> => {
      for await (const chunk of body) expect(String(chunk)).toBe("half");
    };
    await expect(read()).rejects.toThrow();
  });

  test("end with the connection, and the next has a new one", async () => {
    await using world = await serve(usual);
    const { body } = await world.open("/watch");
    const lines = body[Symbol.asyncIterator]();
    await lines.next();
    world.sessions[0]?.destroy();
    await expect(lines.next()).rejects.toThrow();
    expect(await world.get("/version")).toBe("{}");
    expect(world.opened()).toBe(2);
  });

  test("are given up when no head comes in time", async () => {
    await using world = await serve(() => undefined);
    await expect(world.open("/watch", { headersTimeout: 100 })).rejects.toMatchObject({
      code: "UND_ERR_HEADERS_TIMEOUT",
    });
  });

  test.each([
    ["head", { headersTimeout: 200 }],
    ["body", { bodyTimeout: 200 }],
  ])("go elsewhere after one whose %s did not come on a silent connection", async (part, limits) => {
    const silent = new Set<unknown>();
    await using world = await serve((stream) => {
      silent.add(stream.session);
      if (silent.size > 1) return void stream.respond({ ":status": 200 });
      if (part === "body") stream.respond({ ":status": 200 });
    });
    const answer = world.open("/first", limits).then(({ body }) => body[Symbol.asyncIterator]().next());
    await expect(answer).rejects.toThrow(/Timeout/i);
    expect((await world.open("/second")).statusCode).toBe(200);
    expect(world.opened()).toBe(2);
    await until("the silent connection is closed", () => world.sessions.length === 1);
  });

  test("stay on a connection that brings answers of others", async () => {
    await using world = await serve((stream, path) => {
      if (path !== "/silent") stream.respond({ ":status": 200 });
    });
    const silent = world.open("/silent", { headersTimeout: 1000 });
    await world.open("/first");
    await expect(silent).rejects.toThrow(/Timeout/i);
    await world.open("/second");
    expect(world.opened()).toBe(1);
  });

  test("that nobody reads any more are ended at the server", async () => {
    let isEnded = false;
    await using world = await serve((stream, path) => {
      usual(stream, path);
      stream.on("close", () => {
        isEnded = true;
      });
    });
    const { body } = await world.open("/watch");
    expect(await firstOf(body)).toBe("begins\n");
    await until("it is ended", () => isEnded);
  });
});

describe("a connection of HTTP/2", () => {
  test("without a request is closed after its time, and opened again when it is needed", async () => {
    await using world = await serve(usual, { idleMs: 50 });
    await world.get("/version");
    await until("it is closed", () => world.sessions.length === 0);
    expect(await world.get("/version")).toBe("{}");
    expect(world.opened()).toBe(2);
  });

  test("is kept as long as a request is under way, however quiet that is", async () => {
    await using world = await serve(usual, { idleMs: 50 });
    const { body } = await world.open("/watch");
    const lines = body[Symbol.asyncIterator]();
    await lines.next();
    await expect(Promise.race([lines.next(), after(300)])).resolves.toBe("nothing");
    expect(world.sessions).toHaveLength(1);
  });

  test("that fails is an error for all that wait for it, and is tried again for the next", async () => {
    await using world = await serve(usual);
    const elsewhere = createServer((socket) => socket.destroy());
    const transport = transportTo(await listening(elsewhere));
    const request = { origin: "", method: "GET", path: "/", headers: {} } as const;
    for (let round = 0; round < 2; round += 1) {
      const both = [1, 2].map(() => streamedAnswer(transport, request, forever));
      for (const { status } of await Promise.allSettled(both)) expect(status).toBe("rejected");
    }
    elsewhere.close();
    expect(await world.get("/version")).toBe("{}");
  });

  test("to a server that says nothing is given up in time", async () => {
    const silent = createServer();
    const transport = transportTo(await listening(silent), { connectTimeoutMs: 100 });
    const request = { origin: "", method: "GET", path: "/", headers: {} } as const;
    await expect(streamedAnswer(transport, request, forever)).rejects.toMatchObject({
      code: "UND_ERR_CONNECT_TIMEOUT",
    });
    silent.close();
  });

  test("is not made with a server whose certificate is not the one that is meant", async () => {
    await using world = await serve(usual, {
      tls: { secureContext: createSecureContext({ ca: certificate.certificatePem }), servername: "other" },
    });
    await expect(world.get("/version")).rejects.toMatchObject({ code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  });

  test("is closed for good with what it belongs to, also while it is made", async () => {
    await using world = await serve(usual);
    const asked = world.get("/version");
    const refused = expect(asked).rejects.toThrow();
    await world.transport.destroy();
    await refused;
    await expect(world.get("/version")).rejects.toMatchObject({ code: "UND_ERR_CLOSED" });
  });
});

async function after(ms: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  setTimeout(resolve, ms, "nothing");
  return await promise;
}
