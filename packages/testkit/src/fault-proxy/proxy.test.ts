import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type SimCluster, startSimCluster } from "../sim-api/cluster.ts";
import { until } from "../until.ts";
import { type FaultProxy, startFaultProxy } from "./proxy.ts";

const path = "/api/v1/namespaces/default/configmaps";
const manifest = (name: string, value = "1") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { value },
});

let cluster: SimCluster;
let proxy: FaultProxy;

beforeAll(async () => {
  cluster = await startSimCluster({ tls: true });
  proxy = await startFaultProxy({ target: cluster.url });
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

beforeEach(() => proxy.heal());

function call(suffix: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${proxy.url}${path}${suffix}`, {
    ...init,
    headers: { authorization: `Bearer ${cluster.token}`, "content-type": "application/json" },
  });
}

/** The lines of a watch from now on, one by one; the second value ends it. */
async function watchLines(): Promise<{
  readonly next: () => Promise<string | undefined>;
  readonly stop: () => void;
}> {
  const abort = new AbortController();
  const response = await call(`?watch=true&resourceVersion=${cluster.resourceVersion}`, {
    signal: abort.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async (): Promise<string | undefined> => {
    while (!text.includes("\n")) {
      const read = await reader?.read();
      if (read?.value === undefined) return text === "" ? undefined : text;
      text += read.value;
    }
    const at = text.indexOf("\n");
    const line = text.slice(0, at);
    text = text.slice(at + 1);
    return line;
  };
  return { next, stop: () => abort.abort() };
}

describe("the fault proxy", () => {
  test("hands requests on to a server with a certificate of its own", async () => {
    cluster.apply(manifest("plain"));
    const response = await call("/plain");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: { value: "1" } });
  });

  test("answers in the server's place as often as asked, with Retry-After", async () => {
    proxy.answer({ status: 429, retryAfter: 3, count: 2, path: "/plain" });
    for (const status of [429, 429, 200]) {
      const response = await call("/plain");
      expect(response.status).toBe(status);
      if (status === 429) expect(response.headers.get("retry-after")).toBe("3");
    }
  });

  test("loses a reply after the write was made", async () => {
    proxy.loseReply({ method: "POST" });
    await expect(call("", { method: "POST", body: JSON.stringify(manifest("lost")) })).rejects.toThrow();
    expect(cluster.get("ConfigMap", "default", "lost")).toBeDefined();
  });

  test("holds a write until it is let through, also when its caller has given up", async () => {
    const held = proxy.hold({ method: "POST" });
    const caller = new AbortController();
    const late = call("", {
      method: "POST",
      body: JSON.stringify(manifest("late")),
      signal: caller.signal,
    });
    await until("the request is held", () => held.count === 1);
    caller.abort(new Error("it gives up"));
    await expect(late).rejects.toThrow("it gives up");
    await until("the proxy sees that the caller has left", () => held.abandoned === 1);
    expect(held.count).toBe(1);
    expect(cluster.get("ConfigMap", "default", "late")).toBeUndefined();
    expect(await held.release()).toEqual([201]);
    expect(cluster.get("ConfigMap", "default", "late")).toMatchObject({ data: { value: "1" } });
  });

  test("answers who waits for a held request, and holds no more than asked", async () => {
    const held = proxy.hold({ method: "POST" });
    const first = call("", { method: "POST", body: JSON.stringify(manifest("patient")) });
    await until("the request is held", () => held.count === 1);
    expect((await call("", { method: "POST", body: JSON.stringify(manifest("next")) })).status).toBe(201);
    await held.release();
    expect(await (await first).json()).toMatchObject({ metadata: { name: "patient" } });
    expect(held.abandoned).toBe(0);
  });

  test("drops and doubles watch events", async () => {
    const watch = await watchLines();
    proxy.dropEvents({ isWatch: true });
    cluster.apply(manifest("dropped"));
    cluster.apply(manifest("passed"));
    expect(await watch.next()).toContain('"passed"');
    proxy.doubleEvents({ isWatch: true });
    cluster.apply(manifest("doubled"));
    const lines = [await watch.next(), await watch.next()];
    expect(lines[0]).toContain('"doubled"');
    expect(lines[1]).toBe(lines[0]);
    watch.stop();
  });

  test("cuts a watch in the middle of a line", async () => {
    const watch = await watchLines();
    expect(proxy.cutStreams({ isMidLine: true })).toBe(1);
    await expect(watch.next()).rejects.toThrow();
  });

  test("injects a line of its own", async () => {
    const watch = await watchLines();
    proxy.injectLine("no json");
    expect(await watch.next()).toBe("no json");
    watch.stop();
  });

  test("half-open: silent streams stay silent, new ones work after healing", async () => {
    const watch = await watchLines();
    proxy.halfOpen();
    cluster.apply(manifest("unheard"));
    const unanswered = call("/plain", { signal: AbortSignal.timeout(200) });
    await expect(unanswered).rejects.toThrow(/timeout/i);
    proxy.heal();
    cluster.apply(manifest("unheard", "2"));
    expect((await call("/plain")).status).toBe(200);
    expect(proxy.openStreams).toBe(1);
    watch.stop();
  });

  test("refuses and resets", async () => {
    proxy.refuse();
    await expect(call("/plain")).rejects.toThrow();
    proxy.heal();
    const watch = await watchLines();
    proxy.resetConnections();
    await expect(watch.next()).rejects.toThrow();
  });

  test("delays what fits", async () => {
    proxy.delay(150, { path: "/plain" });
    const start = performance.now();
    await call("/plain");
    expect(performance.now() - start).toBeGreaterThanOrEqual(149);
  });
});
