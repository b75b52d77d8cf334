import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "@fleet-reloader/domain/fault";
import { startProxy, startSink } from "@fleet-reloader/testkit/http-sink";
import { describe, expect, test } from "vitest";
import { createReceiver, type ReceiverOptions } from "./post.ts";

const body = { contentType: "application/json", text: '{"text":"ü"}' };
const signal = new AbortController().signal;

async function post(options: Omit<ReceiverOptions, "userAgent">, stop = signal): Promise<unknown> {
  const receiver = createReceiver({ userAgent: "us/1", ...options });
  try {
    await receiver.post(body, stop);
    return "taken";
  } catch (error) {
    return error;
  } finally {
    await receiver.close();
  }
}

describe("a receiver", () => {
  test("gets the body, by POST, at the whole of its address", async () => {
    await using sink = await startSink();
    expect(await post({ url: sink.url })).toBe("taken");
    expect(sink.received).toMatchObject([
      {
        path: "/hooks/hunter2?token=hunter2",
        body: body.text,
        headers: { "content-type": "application/json", "user-agent": "us/1" },
      },
    ]);
  });

  test("gets the headers that it asks for", async () => {
    await using sink = await startSink();
    await post({ url: sink.url, headers: { authorization: "Bearer a", "x-tenant": "nova" } });
    expect(sink.received[0]?.headers).toMatchObject({ authorization: "Bearer a", "x-tenant": "nova" });
  });

  test("behind a proxy is reached through it", async () => {
    await using sink = await startSink();
    await using proxy = await startProxy();
    expect(await post({ url: sink.url, proxyUrl: proxy.url })).toBe("taken");
    expect(proxy.asked).toEqual([sink.url.host]);
    expect(sink.received).toHaveLength(1);
  });

  test("gets the token that is in the file now", async () => {
    await using sink = await startSink();
    const folder = mkdtempSync(join(tmpdir(), "fr-token-"));
    const tokenFile = join(folder, "token");
    const receiver = createReceiver({ url: sink.url, userAgent: "us/1", tokenFile });
    try {
      for (const token of ["one", "two"]) {
        writeFileSync(tokenFile, `${token}\n`);
        await receiver.post(body, signal);
      }
      expect(sink.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer one", "Bearer two"]);
    } finally {
      await receiver.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe("what goes wrong is a fault", () => {
  test.each([
    [500, "notify.unavailable"],
    [429, "notify.unavailable"],
    [404, "notify.rejected"],
    [403, "notify.rejected"],
  ])("%i: %s", async (status, code) => {
    await using sink = await startSink((response) => response.writeHead(status).end("hunter2"));
    expect(await post({ url: sink.url })).toMatchObject({ code });
  });

  test("a redirect is not followed: whoever is behind it was not chosen", async () => {
    await using other = await startSink();
    await using sink = await startSink((response) =>
      response.writeHead(307, { location: other.url.href }).end(),
    );
    expect(await post({ url: sink.url })).toMatchObject({ code: "notify.rejected" });
    expect(other.received).toEqual([]);
  });

  test("one that never answers is given up in time", async () => {
    await using sink = await startSink(() => undefined);
    const begun = performance.now();
    expect(await post({ url: sink.url, timeoutMs: 100 })).toMatchObject({ code: "notify.unavailable" });
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  test("one that does not end its answer is given up in time", async () => {
    await using sink = await startSink((response) => response.writeHead(200).write("a"));
    expect(await post({ url: sink.url, timeoutMs: 100 })).toMatchObject({ code: "notify.unavailable" });
  });

  test("nobody there, and a proxy that is not there", async () => {
    const url = new URL("http://127.0.0.1:9/hooks/hunter2");
    expect(await post({ url })).toMatchObject({ code: "notify.unavailable" });
    await using sink = await startSink();
    expect(await post({ url: sink.url, proxyUrl: url })).toMatchObject({ code: "notify.unavailable" });
    expect(sink.received).toEqual([]);
  });

  test("asked to stop it stops", async () => {
    await using sink = await startSink(() => undefined);
    expect(await post({ url: sink.url }, AbortSignal.timeout(50))).toMatchObject({ code: "engine.aborted" });
  });

  // The address is as secret as a password.
  test.each([302, 404, 429, 500, "dead", "no such host", "hangs"] as const)(
    "%s: no part of the address is in the fault",
    async (how) => {
      await using sink = await startSink((response) => {
        if (typeof how === "number") response.writeHead(how, { location: "/hunter2" }).end("hunter2");
      });
      const url = {
        dead: new URL("http://hunter2:hunter2@127.0.0.1:9/hunter2"),
        "no such host": new URL("http://hunter2.invalid/hunter2"),
        hangs: sink.url,
      };
      const target = typeof how === "number" ? sink.url : url[how];
      const fault = await post({ url: target, timeoutMs: 300 });
      expect(fault).toBeInstanceOf(Fault);
      const shown = `${fault instanceof Fault ? [fault.message, fault.stack, JSON.stringify(fault)].join() : ""}`;
      expect(shown).not.toContain("hunter2");
      expect(shown).not.toContain("127.0.0.1");
    },
  );
});
