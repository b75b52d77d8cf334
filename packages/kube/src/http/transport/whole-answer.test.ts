import { createServer, type RequestListener } from "node:http";
import { until } from "@fleet-reloader/testkit/until";
import { Pool } from "undici";
import { describe, expect, test } from "vitest";
import { wholeAnswer } from "./whole-answer.ts";

const request = { origin: "http://127.0.0.1", method: "GET", path: "/", headers: {} } as const;

async function textOf(pool: Pool, path: string, signal = new AbortController().signal): Promise<string> {
  const { text } = await wholeAnswer(pool, { ...request, path }, { signal });
  return await text;
}

async function serve(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const pool = new Pool(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, {
    connections: 1,
  });
  return {
    pool,
    async [Symbol.asyncDispose]() {
      await pool.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("a whole answer", () => {
  test("is one text, wherever its bytes were cut", async () => {
    const bytes = Buffer.from('{"name":"größer"}');
    await using world = await serve((_request, response) => {
      response.writeHead(201, { "x-kind": "test" }).write(bytes.subarray(0, 11), () => {
        setImmediate(() => response.end(bytes.subarray(11)));
      });
    });
    const answer = await wholeAnswer(world.pool, request, { signal: new AbortController().signal });
    expect(answer).toMatchObject({ statusCode: 201, headers: { "x-kind": "test" } });
    expect(await answer.text).toBe('{"name":"größer"}');
  });

  test.each([
    ["before it was asked for", 0],
    ["while the server is silent", 1],
    ["in the middle of the body", 2],
    ["while it waits for a connection", 3],
  ])("is given up at once when its signal is aborted %s, and frees its connection", async (_, when) => {
    const ending = new AbortController();
    const seen: string[] = [];
    await using world = await serve((incoming, response) => {
      seen.push(incoming.url ?? "");
      if (incoming.url === "/after") response.end("after");
      else if (when === 2) response.writeHead(200).write("half");
    });
    const other = new AbortController();
    const occupying = when === 3 ? textOf(world.pool, "/other", other.signal) : undefined;
    if (when === 0) ending.abort(new Error("enough"));
    const asked = textOf(world.pool, "/", ending.signal);
    asked.catch(() => undefined);
    if (when > 0) await until("the server was asked", () => seen.length === 1);
    ending.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    other.abort(new Error("enough"));
    await occupying?.catch(() => undefined);
    expect(await textOf(world.pool, "/after")).toBe("after");
  });

  test("that breaks off is an error, never half an answer", async () => {
    await using world = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half", () => response.destroy());
    });
    await expect(textOf(world.pool, "/")).rejects.toThrow();
  });

  test("that does not end is given up at its limit, and its connection is closed", async () => {
    let isClosed = false;
    await using world = await serve((_request, response) => {
      response.on("close", () => {
        isClosed = true;
      });
      const more = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(64 * 1024, "x"), more);
      };
      more();
    });
    const answer = await wholeAnswer(
      world.pool,
      { ...request, path: "/endless?limit=1" },
      { signal: new AbortController().signal, bytesMax: 1024 * 1024 },
    );
    await expect(answer.text).rejects.toMatchObject({
      code: "kube.malformed",
      message: "GET /endless was answered with more than 1048576 bytes; it is not read",
    });
    await until("the server is rid of us", () => isClosed);
  });
});
