import type { HistoryLine } from "@fleet-reloader/redis/history/history-reader";
import { expect, test } from "vitest";
import { readerOf, startServedFleet } from "./fixture/served-fleet.ts";
import type { DashboardOptions } from "./listen-dashboard.ts";

/** A record with a control character that would control a terminal. */
const line: HistoryLine = {
  id: "1-0-0",
  record: {
    v: 1,
    time: "2026-01-01T00:00:00.000Z",
    type: "operator",
    action: "freeze",
    by: "ann",
    target: "fleet",
    note: "\u009b2J",
  },
};

async function startDashboard(allowedHosts: readonly string[] = []) {
  return await startServedFleet({
    address: { host: "127.0.0.1", port: 0, allowedHosts },
    reader: {
      notReady: [],
      async *read() {
        yield line;
      },
    },
  });
}

test("a browser gets the history as text, and a program as JSON lines", async () => {
  await using dashboard = await startDashboard();
  // Chromium and Firefox send this for a page.
  const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  expect(await dashboard.ask("/history", { accept })).toMatchObject({
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8", "content-disposition": "inline" },
  });
  const program = await dashboard.ask("/history", { accept: "*/*" });
  expect(program.headers).toMatchObject({ "content-type": "application/x-ndjson; charset=utf-8" });
  expect(program.body).toContain(String.raw`"note":"\u009b2J"`);
  expect(JSON.parse(program.body)).toEqual({ id: line.id, ...line.record });
});

test.each(["/history", "/queues", "/api/v1/status", "/"])(
  "%s refuses a host name that is not allowed",
  async (path) => {
    await using dashboard = await startDashboard(["reloader.tools.svc"]);
    const refused = await dashboard.ask(path, { host: "evil.example:8080" });
    expect(refused).toMatchObject({ status: 421 });
    expect(refused.body).toContain('Host: "evil.example:8080"');
    expect(refused.body).toContain("--allowed-hosts");
    expect(refused.body).not.toContain("ann");
    expect(await dashboard.ask(path, { host: "other.tools.svc:8080" })).toMatchObject({ status: 421 });
    expect(await dashboard.ask("/history", { host: "reloader.tools.svc:8080" })).toMatchObject({
      status: 200,
    });
  },
);

test.each(["/", "/changes", "/changes/f1-a", "/workloads/nova/Deployment/shop/api"])(
  "the page is served at %s, and lets nothing of elsewhere in",
  async (path) => {
    await using dashboard = await startServedFleet();
    const { body, headers, status } = await dashboard.ask(path);
    expect(status).toBe(200);
    expect(body).toContain('<script type="module" src="/page.js">');
    expect(body).not.toMatch(/<script>|style=|onload/);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("default-src 'none'; script-src 'self'"),
    });
  },
);

test("script and style of the page have their types", async () => {
  await using dashboard = await startServedFleet();
  const script = await dashboard.ask("/page.js");
  expect([script.headers["content-type"], script.body]).toEqual([
    "text/javascript; charset=utf-8",
    "show();",
  ]);
  expect((await dashboard.ask("/page.css")).headers["content-type"]).toBe("text/css; charset=utf-8");
  expect((await dashboard.ask("/", {}, "POST")).status).toBe(405);
});

test("a page that is not built says how to build it, and is read again", async () => {
  let isBuilt = false;
  const loadPage = async () => {
    if (!isBuilt) throw new Error("no such file");
    return { script: "", style: "" };
  };
  await using dashboard = await startServedFleet({ loadPage });
  expect(await dashboard.ask("/")).toMatchObject({
    status: 500,
    body: "the page cannot be loaded: build it with ./dev bundle\n",
  });
  isBuilt = true;
  expect((await dashboard.ask("/")).status).toBe(200);
});

test("at an address that others reach there is no page, and / leads to the queue", async () => {
  await using dashboard = await startServedFleet({ address: { host: "0.0.0.0", port: 0 } });
  const answer = await dashboard.ask("/");
  expect([answer.status, answer.headers.location]).toEqual([302, "/queues"]);
});

test("the queue board shows itself without Redis, and its answers say so", async () => {
  let notReady: readonly string[] = ["redis: close"];
  const { read } = readerOf([]);
  const reader = {
    get notReady() {
      return notReady;
    },
    read,
  };
  await using dashboard = await startServedFleet({ reader });
  expect((await dashboard.ask("/queues")).status).toBe(200);
  expect(await dashboard.ask("/queues/api/queues")).toMatchObject({
    status: 503,
    body: JSON.stringify({ error: "redis: close" }),
  });
  notReady = [];
  expect((await dashboard.ask("/queues/api/queues")).status).toBe(200);
});

test("an answer of the board that waits for a lost Redis is refused", async () => {
  let notReady: readonly string[] = [];
  const { read } = readerOf([]);
  const reader = {
    get notReady() {
      return notReady;
    },
    read,
  };
  const loseRedis = () => {
    notReady = ["redis: close"];
    return new Promise<never>(() => undefined);
  };
  const known = { name: "reconcile", opts: {}, metaValues: { version: "bullmq" } };
  const queue = new Proxy(known, { get: (_, name) => Reflect.get(known, name) ?? loseRedis });
  const queues = [queue] as unknown as DashboardOptions["queues"];
  await using dashboard = await startServedFleet({ reader, queues });
  expect(await dashboard.ask("/queues/api/queues")).toMatchObject({ status: 503 });
});

test("a history that Redis leaves in its midst ends as one that is not whole", async () => {
  let notReady: readonly string[] = [];
  const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>();
  const reader = {
    get notReady() {
      return notReady;
    },
    async *read() {
      yield line;
      notReady = ["redis: close"];
      await isBack;
    },
  };
  await using dashboard = await startServedFleet({ reader });
  await expect(dashboard.ask("/history")).rejects.toThrow("aborted");
  comeBack();
});
